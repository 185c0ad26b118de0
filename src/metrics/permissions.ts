import type { Permission } from '../api/permission.ts';

/** The metric backends that are asked through the API server, as the controller itself. */
export const metricsPermissions: Readonly<Record<'keptn' | 'externalmetrics', readonly Permission[]>> = {
  keptn: [
    { group: 'metrics.keptn.sh', resources: ['keptnmetrics'], verbs: ['get'], purpose: 'metrics of Keptn' },
    { group: 'metrics.keptn.sh', resources: ['analyses'], verbs: ['get', 'create', 'delete'], purpose: 'analyses by Keptn' },
  ],
  externalmetrics: [
    { group: 'external.metrics.k8s.io', resources: ['*'], verbs: ['list'], purpose: 'metrics of the External Metrics API' },
  ],
};
