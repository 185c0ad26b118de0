/** State of an application whose Canary is gone. Revisions are `s1:` and a SHA-256. */
export interface SeenAtDeletion {
  /** Hash of only the target's pod template. */
  template: string;
  /** Revision of the target's template and tracked configs. */
  revision: string;
  /** The promoted revisions: as the primary carries them and as the last status says. Empty if they are unknown, or if no primary exists. */
  promoted: readonly string[];
  /** The target's template was changed since the deletion. */
  isPushed: boolean;
  /** The primary is kept already. */
  isKept: boolean;
  /** The apex Service leads to the target as it did before the first release. */
  isReached: boolean;
  /** The revision that the user has accepted. */
  accepted?: string | undefined;
  /** A Canary without a release exists on this target. */
  hasHeir: boolean;
}

/** The receiver of the application: its target, a Canary that was made again, or, for now, neither: the primary keeps it. */
export type HandOver =
  | { to: 'target'; because: 'promoted' | 'unknown' | 'reached' | 'accepted' | 'pushed' }
  | { to: 'heir' }
  | { to: 'primary' };

/** Deletion never gives users bytes that were not promoted (I19); a later push, or the user's explicit word, does. */
export function handOverOf(seen: SeenAtDeletion): HandOver {
  const { template, revision, promoted } = seen;
  if (promoted.length === 0) return { to: 'target', because: 'unknown' };
  // Promoted without configs: they were not tracked then.
  if (promoted.includes(revision) || promoted.includes(template)) return { to: 'target', because: 'promoted' };
  if (seen.isReached && !seen.isKept) return { to: 'target', because: 'reached' };
  if (seen.hasHeir) return { to: 'heir' };
  if (seen.accepted === revision) return { to: 'target', because: 'accepted' };
  return seen.isPushed ? { to: 'target', because: 'pushed' } : { to: 'primary' };
}

/** The target as the deletion found it: its uid, the hash of its template, and the count of templates where the kind keeps one. */
export interface DeletedWith {
  uid: string;
  template: string;
  rollout?: string | undefined;
}

/** No target existed: every later one is a push. */
export const noTarget: DeletedWith = { uid: 'none', template: 'none' };

/** Format of the anchor's annotation. */
export const writeDeletedWith = ({ uid, template, rollout }: DeletedWith): string =>
  [uid, template, ...(rollout === undefined ? [] : [rollout])].join(' ');

export function readDeletedWith(text: string): DeletedWith {
  const [uid = '', template = '', rollout] = text.split(' ');
  return { uid, template, rollout };
}

/** A newer API server can show new default fields: if the kind counts the templates of one target, another hash is not enough. */
export function isPushed(before: DeletedWith, now: DeletedWith): boolean {
  if (before.template === now.template) return false;
  return before.uid !== now.uid || before.rollout === undefined || now.rollout === undefined || before.rollout !== now.rollout;
}
