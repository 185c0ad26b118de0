import type { KubeObject } from '../../src/api/kube-object.ts';
import { everyFeature, permissionsFor } from '../../src/controller/permissions.ts';
import { leasePermissions } from '../../src/kube/permissions.ts';

/** Permissions of the controller with all features enabled, and nothing more: a request beyond these fails the suite. */
export const controllerRules = [...permissionsFor(everyFeature), ...leasePermissions].map(({ group, resources, verbs }) => ({
  apiGroups: [group],
  resources,
  verbs,
}));

/** The ClusterRole of the controller and its binding to a user. */
export function controllerRole(user: string): KubeObject[] {
  // Another name than the chart's.
  const metadata = { name: 'serin-e2e' };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  return [
    { apiVersion, kind: 'ClusterRole', metadata, rules: controllerRules },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: metadata.name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    },
  ];
}
