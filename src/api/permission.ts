/** Verbs of RBAC. */
export type RbacVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** One rule of a role that a part of Serin needs. */
export interface Permission {
  /** API group; the core group is the empty text. */
  group: string;
  /** Plural names, with their subresource: `canaries/status`. */
  resources: readonly string[];
  verbs: readonly RbacVerb[];
  /** Names to which the verbs are limited; all names if absent. */
  names?: readonly string[];
  /** If absent, `list` and `watch` cover all namespaces that Serin serves, and every other verb covers one. `cluster`: the objects have no namespace. */
  scope?: 'namespace' | 'cluster';
  /** Reason for which it is needed, for reviewers of the role. */
  purpose: string;
}

/** A rule for all names. */
export const rule = (group: string, resources: readonly string[], verbs: readonly RbacVerb[], purpose: string): Permission => ({
  group,
  resources,
  verbs,
  purpose,
});

/** The same rule, but its `list` and `watch` also name a namespace. */
export const inNamespace = (permission: Permission): Permission => ({ ...permission, scope: 'namespace' });

/** The same rule for objects without a namespace. */
export const ofCluster = (permission: Permission): Permission => ({ ...permission, scope: 'cluster' });
