import { inNamespace, type Permission, rule } from '../api/permission.ts';

/** Rights on metric backends that are queried through the API server, with the controller's identity. */
export const metricsPermissions: Readonly<Record<'keptn' | 'externalmetrics', readonly Permission[]>> = {
  keptn: [
    rule('metrics.keptn.sh', ['keptnmetrics'], ['get'], 'metrics of Keptn'),
    rule('metrics.keptn.sh', ['analyses'], ['get', 'create', 'delete'], 'analyses by Keptn'),
  ],
  externalmetrics: [inNamespace(rule('external.metrics.k8s.io', ['*'], ['list'], 'metrics of the External Metrics API'))],
};
