/** Verbs of RBAC. */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** One rule of a role that a part of Serin needs. */
export interface Permission {
  /** API group; the core group is the empty text. */
  group: string;
  /** Plurals, with their subresource: `canaries/status`. */
  resources: readonly string[];
  verbs: readonly Verb[];
  /** Names that the verbs are limited to; absent: all. */
  names?: readonly string[];
  /** Why it is needed, for reviewers of the role. */
  purpose: string;
}
