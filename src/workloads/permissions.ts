import { knativeApiVersion } from '../api/knative.ts';
import type { Permission, RbacVerb } from '../api/permission.ts';
import type { SecretsMode } from './configs/read-configs.ts';

const [knativeGroup = ''] = knativeApiVersion.split('/');

/** Whatever kinds are switched on. */
export const workloadPermissions: readonly Permission[] = [
  { group: 'apps', resources: ['deployments'], verbs: ['list', 'watch'], purpose: 'the first watch of each start' },
  {
    group: 'discovery.k8s.io',
    resources: ['endpointslices'],
    verbs: ['list', 'watch'],
    purpose: 'whether a Service can serve: one that is the target, and one that was there before Serin',
  },
  {
    group: 'apps',
    resources: ['controllerrevisions'],
    verbs: ['get', 'list', 'create', 'patch', 'delete'],
    purpose: 'the anchor that owns what is made, the history of promoted templates, and journals of releases',
  },
];

/** By the kind of target, but for Knative's; a target is never created, a primary never deleted: the garbage collector does that. */
export const kindPermissions: Readonly<Record<'Deployment' | 'DaemonSet', readonly Permission[]>> = {
  Deployment: [
    { group: 'apps', resources: ['deployments'], verbs: ['get', 'create', 'patch'], purpose: 'targets, and the primaries made of them' },
    { group: 'apps', resources: ['deployments/scale'], verbs: ['patch'], purpose: 'the side without traffic is scaled to zero' },
  ],
  DaemonSet: [
    {
      group: 'apps',
      resources: ['daemonsets'],
      verbs: ['get', 'list', 'watch', 'create', 'patch'],
      purpose: 'targets, and the primaries made of them',
    },
  ],
};

/** A Knative Service is target and route in one. */
export const knativePermissions: readonly Permission[] = [
  {
    group: knativeGroup,
    resources: ['services'],
    verbs: ['get', 'list', 'watch', 'patch'],
    purpose: 'targets, their traffic and their primary revision',
  },
  { group: knativeGroup, resources: ['revisions'], verbs: ['list', 'watch'], purpose: 'whether a revision is ready' },
];

/** Tracked ConfigMaps are watched by name; their copies are made and pruned. */
export const configMapPermissions: readonly Permission[] = [
  {
    group: '',
    resources: ['configmaps'],
    verbs: ['get', 'list', 'watch', 'create', 'delete'],
    purpose: 'tracking the ConfigMaps that targets read, and their copies',
  },
];

const secrets = (verbs: readonly RbacVerb[], purpose: string): Permission => ({ group: '', resources: ['secrets'], verbs, purpose });
const REFERENCES = 'Secrets that Canaries, MetricTemplates and AlertProviders refer to';

/** `get` is also for references, and so in every mode; no Secret is listed unless it is watched. */
export const secretPermissions: Readonly<Record<SecretsMode, readonly Permission[]>> = {
  watch: [
    secrets(
      ['get', 'list', 'watch', 'create', 'delete'],
      'references; tracking the Secrets that targets read by watching their metadata, and their copies',
    ),
  ],
  get: [secrets(['get', 'create', 'delete'], 'references; reading the Secrets of targets when a release starts, and their copies')],
  off: [secrets(['get'], REFERENCES)],
};

/** The rules where Secrets are limited by name: those of the names, of Flagger's copies of them, and of all names. */
export interface NamedSecretPermissions {
  sources: readonly Permission[];
  takenOver: readonly Permission[];
  copies: readonly Permission[];
}

const copies = [secrets(['create'], 'their copies: a name cannot limit what creates an object')];
const takenOver = [secrets(['get'], 'copies that Flagger made')];
export const namedSecretPermissions: Readonly<Record<SecretsMode, NamedSecretPermissions>> = {
  watch: { sources: [secrets(['get', 'list', 'watch'], 'references, and tracking')], takenOver, copies },
  get: { sources: [secrets(['get'], 'references, and reading when a release starts')], takenOver, copies },
  off: { sources: [secrets(['get'], REFERENCES)], takenOver: [], copies: [] },
};

/** The copies that Flagger made belong to its Canaries, until the anchor owns them. */
export const takeOverPermissions: Readonly<Record<'configMaps' | 'secrets', Permission>> = {
  configMaps: { group: '', resources: ['configmaps'], verbs: ['patch'], purpose: 'the owner of copies that Flagger made' },
  secrets: secrets(['patch'], 'the owner of copies that Flagger made'),
};

/** `spec.autoscalerRef`, by kind. */
export const scalerPermissions: Readonly<Record<'HorizontalPodAutoscaler' | 'ScaledObject', readonly Permission[]>> = {
  HorizontalPodAutoscaler: [scaler('autoscaling', 'horizontalpodautoscalers')],
  ScaledObject: [scaler('keda.sh', 'scaledobjects')],
};

function scaler(group: string, plural: string): Permission {
  const purpose = 'the scalers of targets, and the copies that scale their primaries';
  return { group, resources: [plural], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'], purpose };
}
