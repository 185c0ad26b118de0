import { knativeApiVersion } from '../api/knative.ts';
import type { Permission } from '../api/permission.ts';
import type { SecretsMode } from './configs/read-configs.ts';

const [knativeGroup = ''] = knativeApiVersion.split('/');

/** Targets and primaries of every kind but Knative's; a target is never created, a primary never deleted: the garbage collector does that. */
export const workloadPermissions: readonly Permission[] = [
  {
    group: 'apps',
    resources: ['deployments', 'daemonsets'],
    verbs: ['get', 'list', 'watch', 'create', 'patch'],
    purpose: 'targets, and the primaries made of them',
  },
  { group: 'apps', resources: ['deployments/scale'], verbs: ['patch'], purpose: 'the side without traffic rests at zero' },
  {
    group: 'apps',
    resources: ['controllerrevisions'],
    verbs: ['get', 'list', 'create', 'patch', 'delete'],
    purpose: 'the anchor that owns what is made, and the history of promoted templates',
  },
  { group: 'discovery.k8s.io', resources: ['endpointslices'], verbs: ['list', 'watch'], purpose: 'whether a Service as target can serve' },
];

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

/** Tracked ConfigMaps are watched by name; their copies are made and pruned. `patch`: the owner of copies that the established controller made. */
export const configMapPermissions: readonly Permission[] = [
  {
    group: '',
    resources: ['configmaps'],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    purpose: 'tracking the ConfigMaps that targets read, and their copies',
  },
];

/** `get` is also for what Canaries, MetricTemplates and AlertProviders refer to, and so in every mode; no Secret is listed unless it is watched. */
export const secretPermissions: Readonly<Record<SecretsMode, readonly Permission[]>> = {
  watch: [
    {
      group: '',
      resources: ['secrets'],
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
      purpose: 'references; tracking the Secrets that targets read by watching their metadata, and their copies',
    },
  ],
  get: [
    {
      group: '',
      resources: ['secrets'],
      verbs: ['get', 'create', 'patch', 'delete'],
      purpose: 'references; reading the Secrets of targets when a release starts, and their copies',
    },
  ],
  off: [
    { group: '', resources: ['secrets'], verbs: ['get'], purpose: 'Secrets that Canaries, MetricTemplates and AlertProviders refer to' },
  ],
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
