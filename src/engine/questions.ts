import type { NewBlocker } from '../api/blocker.ts';
import type { HookType } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import type { VerbRequest } from '../api/verb-request.ts';
import type { Compared, Measured, ToCompare } from '../judge/compared.ts';
import type { Harm } from './comparison/harm.ts';
import type { Facts } from './facts.ts';
import type { Announcement } from './reasons.ts';

/** `<run>/<revision>/<attempt>`: an answer whose id is not that of the open question is dropped. */
export type QuestionId = string;

/**
 * Questions of the chart to the world. Within one transition the controller first carries out `record`; only when that is stored does it carry out the others. If it
 * cannot be stored, the snapshot is discarded and rebuilt from the status in the cluster.
 */
export type Question =
  | { kind: 'record'; id: QuestionId; phase: Phase; release: Release }
  /** `phase` and `checksum` are fields of the payload (E84); `key` names the occasion: a call that is repeated after a restart has the same key (E135). */
  | { kind: 'runHooks'; id: QuestionId; type: HookType; phase: Phase; checksum: string; key: string }
  /** `compare`: counts of both sides to read also. */
  | { kind: 'measure'; id: QuestionId; compare?: readonly ToCompare[] }
  /** Read counts of both sides between two checks. */
  | { kind: 'compare'; id: QuestionId; compare: readonly ToCompare[] }
  /** Write the primary's template from the target, only if the target still is `revision`. */
  | { kind: 'promote'; id: QuestionId; revision: string }
  /** Restore the last promoted template of the primary. */
  | { kind: 'restorePrimary'; id: QuestionId; revision: string }
  /** Restore the target's template from the promotion before the last, only if the target still is `revision`. */
  | { kind: 'undo'; id: QuestionId; revision: string }
  /** Write this restart time into the primary's pod template (epoch milliseconds). */
  | { kind: 'restart'; id: QuestionId; atMs: number }
  | { kind: 'announce'; id: QuestionId; announcement: Announcement }
  /** Send WAKE at this time (epoch milliseconds). A later question replaces it. */
  | { kind: 'wakeAt'; id: QuestionId; atMs: number };

/** Without a status there was no response. */
export interface HookCall {
  webhook: string;
  status?: number;
}

export type Answer =
  /** `webhooks`: names of the hooks that passed. `calls`: every attempt and the status of its response, for the journal. */
  | { kind: 'runHooks'; id: QuestionId; type: HookType; outcome: 'passed'; webhooks: readonly string[]; calls?: readonly HookCall[] }
  /** `isUnanswered`: the webhook gave no answer, or could not be called. */
  | {
      kind: 'runHooks';
      id: QuestionId;
      type: HookType;
      outcome: 'refused';
      webhook: string;
      reason: string;
      isUnanswered?: true;
      calls?: readonly HookCall[];
    }
  /** `queries`: the rendered queries, for the journal. */
  | ({ kind: 'measure'; id: QuestionId; queries?: readonly string[] } & Measured)
  | { kind: 'compare'; id: QuestionId; compared: readonly Compared[]; queries?: readonly string[] }
  | { kind: 'promote'; id: QuestionId; outcome: 'written' | 'mismatch' }
  /** `blocker`: the reason as data, if it is more than text. */
  | { kind: 'promote'; id: QuestionId; outcome: 'refused'; reason: string; blocker?: NewBlocker }
  | { kind: 'restorePrimary'; id: QuestionId; outcome: 'written' }
  | { kind: 'restorePrimary'; id: QuestionId; outcome: 'refused'; reason: string; blocker?: NewBlocker }
  | { kind: 'undo' | 'restart'; id: QuestionId; outcome: 'written' }
  | { kind: 'undo' | 'restart'; id: QuestionId; outcome: 'refused'; reason: string };

export type EngineEvent =
  /** First event of a snapshot rebuilt from status: re-enters its state and puts its questions again. */
  | { type: 'RESUME'; facts: Facts }
  /** A fact has changed. */
  | { type: 'FACTS'; facts: Facts }
  | { type: 'WAKE'; facts: Facts }
  | { type: 'ANSWER'; facts: Facts; answer: Answer }
  /** A request of a user that is possible now; made by `handleEvent` from the facts. */
  | { type: 'REQUEST'; facts: Facts; request: VerbRequest }
  /** A rollback hook has passed, or the canary is found worse than the primary between two checks; made by `handleEvent` from the answer. */
  | { type: 'STOP'; facts: Facts; by: { webhook: string } | { harm: Harm } }
  | { type: 'DELIVERED'; facts: Facts; key: string };
