/** Verbs of RBAC. */
export type RbacVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** One rule of a role that a part of Serin needs. */
export interface Permission {
  /** API group; the core group is the empty text. */
  group: string;
  /** Plurals, with their subresource: `canaries/status`. */
  resources: readonly string[];
  verbs: readonly RbacVerb[];
  /** Names that the verbs are limited to; absent: all. */
  names?: readonly string[];
  /** Absent: `list` and `watch` go over all that Serin looks after, and every other verb over one namespace. `cluster`: the objects are in no namespace. */
  scope?: 'namespace' | 'cluster';
  /** Why it is needed, for reviewers of the role. */
  purpose: string;
}

/** A rule without limit to names. */
export const rule = (group: string, resources: readonly string[], verbs: readonly RbacVerb[], purpose: string): Permission => ({
  group,
  resources,
  verbs,
  purpose,
});

/** The same, whose `list` and `watch` name a namespace, too. */
export const inNamespace = (permission: Permission): Permission => ({ ...permission, scope: 'namespace' });

/** The same for objects that are in no namespace. */
export const ofCluster = (permission: Permission): Permission => ({ ...permission, scope: 'cluster' });
