import { commitAnnotation, commitHash } from '../api/commit.ts';
import { cutText } from '../base/cut-text.ts';
import { printable } from '../base/printable.ts';
import type { AlertFormat, AlertMessage, Refusal } from './notifier.ts';

/** State of a commit. `dropped`: its release has ended without a judgement. */
export type CommitState = 'progressing' | 'promoted' | 'failed' | 'dropped';

const stateOf: Readonly<Record<string, CommitState>> = {
  Initialized: 'promoted',
  NewRevision: 'progressing',
  Succeeded: 'promoted',
  Failed: 'failed',
  PromotionFailed: 'failed',
  Superseded: 'dropped',
  Cancelled: 'dropped',
};

/** Limits of a forge, in characters. */
interface StatusLimits {
  name: number;
  description: number;
  link: number;
}

interface CommitStatus {
  state: CommitState;
  /** Distinguishes it from the statuses of other systems, of other Canaries, and of other clusters with a name. */
  name: string;
  description: string;
  link?: string;
}

/** The status that an alert gives to its commit, within the limits of the forge. */
export function commitStatus(message: AlertMessage, limits: StatusLimits): CommitStatus {
  const { reason, canary, cluster, text, page, releasePage, isTest = false } = message;
  const name = ['serin', ...(cluster ? [cluster] : []), canary.namespace, canary.name, ...(isTest ? ['test'] : [])].join('/');
  const link = [releasePage, page].find((url) => url !== undefined && url.length <= limits.link);
  return {
    // A commit must not be marked as failed by a test.
    state: isTest ? 'promoted' : (stateOf[reason] ?? 'progressing'),
    name: cutText(name, limits.name),
    description: cutText(
      printable(text.slice(0, 4 * limits.description))
        .toWellFormed()
        .trim() || '-',
      limits.description,
    ),
    ...(link === undefined ? {} : { link }),
  };
}

/** Parts of a format that are the same for all forges. */
export const marking = {
  marksCommits: true,
  takesToken: true,
  // A closed gate would stay the description of a commit after it has opened.
  wants: ({ reason }) => stateOf[reason] !== undefined,
  refuses: ({ commit }) => {
    if (commit === undefined)
      return `no commit is known for this release: before the next one, write it into the annotation ${commitAnnotation} of the target or its pod template`;
    const found = commitHash(commit);
    return 'problem' in found ? found.problem : undefined;
  },
} satisfies Partial<AlertFormat>;

/** The hash of a message that was not refused. */
export function hashOf({ commit = '' }: AlertMessage): string {
  const found = commitHash(commit);
  return 'hash' in found ? found.hash : '';
}

/** Parts of the path of a repository's address, without the ending that Git takes. */
export function repositoryPath({ pathname }: URL): string[] {
  const parts = pathname.split('/').filter((part) => part !== '');
  return parts.map((part, index) => (index === parts.length - 1 && part.endsWith('.git') ? part.slice(0, -'.git'.length) : part));
}

/** Words for the statuses that forges answer; they quote nothing of the answer. */
export function refusalIn(status: number, words: Readonly<Record<number, string>>): Refusal | undefined {
  const word = words[status];
  return word === undefined ? undefined : { words: word };
}
