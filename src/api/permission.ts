export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** What a part of Serin asks of the API server: one rule of a role. */
export interface Permission {
  /** API group; the core group is the empty text. */
  group: string;
  /** Plurals, with their subresource: `canaries/status`. */
  resources: readonly string[];
  verbs: readonly Verb[];
  /** Names that the verbs are limited to; absent: all. */
  names?: readonly string[];
  /** Why, for whoever reviews the role. */
  purpose: string;
}
