import type { Permission } from '../../api/permission.ts';

/** A rule that something of the files needs. */
export interface Need {
  /** Of the objects; empty: in no namespace, or in all. */
  namespace: string;
  permission: Permission;
  /** What needs it, such as `Canary web`. */
  by: string;
}

/** All these rules, needed by the same. */
export const needs = (namespace: string, permissions: readonly Permission[], by: string): Need[] =>
  permissions.map((permission) => ({ namespace, permission, by }));
