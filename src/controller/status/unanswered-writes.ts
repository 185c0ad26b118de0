import { isDeepStrictEqual } from 'node:util';
import type { Release } from '../../api/canary-status.ts';
import type { Phase } from '../../api/phase.ts';
import type { Question } from '../../engine/questions.ts';
import { plain } from './patch.ts';

type AnnounceQuestion = Extract<Question, { kind: 'announce' }>;

export const isAnnouncement = (question: Question): question is AnnounceQuestion => question.kind === 'announce';

/** A status that was sent, and the events to send when it is stored. */
export interface SentStatus {
  phase: Phase;
  release: Release | undefined;
  announcements: readonly AnnounceQuestion[];
}

/** A write names the version that it replaces, so that the API server refuses it once a later one is stored. */
const MOST_REMEMBERED = 5;

/**
 * Status writes of one Canary that have had no answer. The API server can store such a write nevertheless, and the release then goes on from it: the events of
 * that write would be lost with the answer.
 */
export class UnansweredWrites {
  #writes: SentStatus[] = [];

  get areNone(): boolean {
    return this.#writes.length === 0;
  }

  sent(write: SentStatus): void {
    this.#writes = [...this.#writes, write].slice(-MOST_REMEMBERED);
  }

  /** The answer to the last write came: no earlier one can be stored any more. */
  answered(): void {
    this.#writes = [];
  }

  /** The write that the API server stored without an answer; it is forgotten with those before it. */
  takeStored(stored: Release | undefined): SentStatus | undefined {
    const found = stored && this.#writes.findLast(({ release }) => isDeepStrictEqual(unsigned(release), unsigned(stored)));
    if (found) this.#writes = [];
    return found;
  }
}

/** The release without the name of the Serin that wrote it, which is added last. */
function unsigned(release: Release | undefined): unknown {
  return plain({ ...release, writer: undefined });
}
