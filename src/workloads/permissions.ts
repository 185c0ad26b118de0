import { knativeApiVersion } from '../api/knative.ts';
import { inNamespace, type Permission, type RbacVerb, rule } from '../api/permission.ts';
import type { CompanionName } from './companions/kind-names.ts';
import type { SecretsMode } from './configs/read-configs.ts';

const [knativeGroup = ''] = knativeApiVersion.split('/');

/** Listed at the start of the controller. */
export const startWorkloadPermissions: readonly Permission[] = [
  rule('apps', ['deployments'], ['list', 'watch'], 'the first watch of each start'),
  rule(
    'apps',
    ['controllerrevisions'],
    ['get', 'list', 'create', 'patch', 'delete'],
    'the anchor that owns what is made, the history of promoted templates, and journals of releases',
  ),
];

/** Needed for any kinds that are switched on. */
export const workloadPermissions: readonly Permission[] = [
  rule(
    'discovery.k8s.io',
    ['endpointslices'],
    ['list', 'watch'],
    'whether a Service can serve: a target Service, and a Service older than its Canary',
  ),
];

const canaryPods = inNamespace(
  rule(
    '',
    ['pods'],
    ['list', 'watch'],
    'crashes of a canary during its release (without them only its time without readiness counts), and the last pods of a primary, for which its NetworkPolicies hold',
  ),
);

/** By the kind of target, except Knative's; a target is never created, a primary never deleted: the garbage collector does that. */
export const kindPermissions: Readonly<Record<'Deployment' | 'DaemonSet', readonly Permission[]>> = {
  Deployment: [
    rule('apps', ['deployments'], ['get', 'create', 'patch'], 'targets, and the primaries made of them'),
    rule('apps', ['deployments/scale'], ['patch'], 'the side without traffic is scaled to zero'),
    canaryPods,
  ],
  DaemonSet: [
    rule('apps', ['daemonsets'], ['get', 'list', 'watch', 'create', 'patch'], 'targets, and the primaries made of them'),
    canaryPods,
  ],
};

/** A Knative Service is target and route in one. */
export const knativePermissions: readonly Permission[] = [
  rule(knativeGroup, ['services'], ['get', 'list', 'watch', 'patch'], 'targets, their traffic and their primary revision'),
  rule(knativeGroup, ['revisions'], ['list', 'watch'], 'whether a revision is ready'),
];

/** Tracked ConfigMaps are watched by name; their copies are made and pruned. */
export const configMapPermissions: readonly Permission[] = [
  inNamespace(
    rule('', ['configmaps'], ['get', 'list', 'watch', 'create', 'delete'], 'tracking the ConfigMaps that targets read, and their copies'),
  ),
];

const secrets = (verbs: readonly RbacVerb[], purpose: string): Permission => inNamespace(rule('', ['secrets'], verbs, purpose));
const REFERENCES = 'Secrets that Canaries, MetricTemplates and AlertProviders refer to';

/** `get` is also needed for references, and so in every mode; no Secret is listed unless it is watched. */
export const secretPermissions: Readonly<Record<SecretsMode, readonly Permission[]>> = {
  watch: [
    secrets(
      ['get', 'list', 'watch', 'create', 'delete'],
      'references; tracking the Secrets that targets read by watching their metadata, their copies, and the salt of their checksums',
    ),
  ],
  get: [
    secrets(
      ['get', 'create', 'delete'],
      'references; reading the Secrets of targets when a release starts, their copies, and the salt of their checksums',
    ),
  ],
  off: [secrets(['get'], REFERENCES)],
};

/** The rules for Secrets that are limited by name: for the names, for Flagger's copies of them, and for all names. */
export interface NamedSecretPermissions {
  sources: readonly Permission[];
  takenOver: readonly Permission[];
  copies: readonly Permission[];
}

const copies = [secrets(['create'], 'their copies: rules by name cannot limit the creation of an object')];
const takenOver = [secrets(['get'], 'copies that Flagger made')];
export const namedSecretPermissions: Readonly<Record<SecretsMode, NamedSecretPermissions>> = {
  watch: { sources: [secrets(['get', 'list', 'watch'], 'references, and tracking')], takenOver, copies },
  get: { sources: [secrets(['get'], 'references, and reading when a release starts')], takenOver, copies },
  off: { sources: [secrets(['get'], REFERENCES)], takenOver: [], copies: [] },
};

/** The copies that Flagger made belong to its Canaries, until the anchor owns them. */
export const takeOverPermissions: Readonly<Record<'configMaps' | 'secrets', Permission>> = {
  configMaps: rule('', ['configmaps'], ['patch'], 'the owner of copies that Flagger or a Canary of another name made'),
  secrets: secrets(['patch'], 'the owner of copies that Flagger or a Canary of another name made'),
};

/** `spec.autoscalerRef`, by kind. */
export const scalerPermissions: Readonly<Record<'HorizontalPodAutoscaler' | 'ScaledObject', readonly Permission[]>> = {
  HorizontalPodAutoscaler: [scaler('autoscaling', 'horizontalpodautoscalers')],
  ScaledObject: [scaler('keda.sh', 'scaledobjects')],
};

/** Companions of primaries, by kind. */
export const companionPermissions: Readonly<Record<CompanionName, readonly Permission[]>> = {
  podDisruptionBudgets: [companion('policy', 'poddisruptionbudgets', 'budgets')],
  networkPolicies: [companion('networking.k8s.io', 'networkpolicies', 'policies')],
  verticalPodAutoscalers: [companion('autoscaling.k8s.io', 'verticalpodautoscalers', 'autoscalers')],
};

function companion(group: string, plural: string, what: string): Permission {
  const purpose = `the ${what} of targets, and their companions for primaries`;
  return { group, resources: [plural], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'], purpose };
}

function scaler(group: string, plural: string): Permission {
  const purpose = 'the scalers of targets, and the copies that scale their primaries';
  return { group, resources: [plural], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'], purpose };
}
