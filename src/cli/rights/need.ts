import type { Permission } from '../../api/permission.ts';

/** A rule that something of the files needs. */
export interface Need {
  /** Namespace of the objects; empty for cluster-scoped objects, or for all namespaces. */
  namespace: string;
  permission: Permission;
  /** Object or setting that needs it, such as `Canary web`. */
  by: string;
}

/** All these rules, needed by the same. */
export const needs = (namespace: string, permissions: readonly Permission[], by: string): Need[] =>
  permissions.map((permission) => ({ namespace, permission, by }));
