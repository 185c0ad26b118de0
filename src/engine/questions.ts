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
 * Questions of the chart to the world. Within one step the controller first carries out `record`; only when that is stored does it
 * ask the rest. When it cannot be stored, the snapshot is thrown away and rebuilt from the status that the cluster holds.
 */
export type Question =
  | { kind: 'record'; id: QuestionId; phase: Phase; release: Release }
  /** `phase` and `checksum` are what the payload says (E84); `key` names the occasion, and is the same when it is asked again after a restart (E135). */
  | { kind: 'runHooks'; id: QuestionId; type: HookType; phase: Phase; checksum: string; key: string }
  /** `compare`: counts of both sides that are to be read as well. */
  | { kind: 'measure'; id: QuestionId; compare?: readonly ToCompare[] }
  /** Read counts of both sides between two checks. */
  | { kind: 'compare'; id: QuestionId; compare: readonly ToCompare[] }
  /** Write the primary's template from the target, only if the target still is `revision`. */
  | { kind: 'promote'; id: QuestionId; revision: string }
  /** Put the primary's template back to the last promoted one. */
  | { kind: 'restorePrimary'; id: QuestionId; revision: string }
  /** Put the target's template back to the promotion before the last, only if the target still is `revision`. */
  | { kind: 'undo'; id: QuestionId; revision: string }
  /** Write into the primary's pod template that it was restarted at this moment (epoch milliseconds). */
  | { kind: 'restart'; id: QuestionId; atMs: number }
  | { kind: 'announce'; id: QuestionId; announcement: Announcement }
  /** Come back at this moment (epoch milliseconds) with WAKE. A later one replaces it. */
  | { kind: 'wakeAt'; id: QuestionId; atMs: number };

/** Without a status there was no answer. */
export interface HookCall {
  webhook: string;
  status?: number;
}

export type Answer =
  /** `webhooks`: those that passed, by name. `calls`: every attempt and the status of its answer, for the journal. */
  | { kind: 'runHooks'; id: QuestionId; type: HookType; outcome: 'passed'; webhooks: readonly string[]; calls?: readonly HookCall[] }
  | { kind: 'runHooks'; id: QuestionId; type: HookType; outcome: 'refused'; webhook: string; reason: string; calls?: readonly HookCall[] }
  /** `queries`: as they were rendered, for the journal. */
  | ({ kind: 'measure'; id: QuestionId; queries?: readonly string[] } & Measured)
  | { kind: 'compare'; id: QuestionId; compared: readonly Compared[]; queries?: readonly string[] }
  | { kind: 'promote'; id: QuestionId; outcome: 'written' | 'mismatch' }
  /** `blocker`: the reason as data, where it is more than words. */
  | { kind: 'promote'; id: QuestionId; outcome: 'refused'; reason: string; blocker?: NewBlocker }
  | { kind: 'restorePrimary'; id: QuestionId; outcome: 'written' }
  | { kind: 'restorePrimary'; id: QuestionId; outcome: 'refused'; reason: string; blocker?: NewBlocker }
  | { kind: 'undo' | 'restart'; id: QuestionId; outcome: 'written' }
  | { kind: 'undo' | 'restart'; id: QuestionId; outcome: 'refused'; reason: string };

export type EngineEvent =
  /** First event of a snapshot rebuilt from status: re-enters its state and asks its questions again. */
  | { type: 'RESUME'; facts: Facts }
  /** Something that the chart depends on changed. */
  | { type: 'FACTS'; facts: Facts }
  | { type: 'WAKE'; facts: Facts }
  | { type: 'ANSWER'; facts: Facts; answer: Answer }
  /** A user asks for something that is possible now; made by `step` from the facts. */
  | { type: 'REQUEST'; facts: Facts; request: VerbRequest }
  /** A rollback hook has answered yes, or the canary is found worse than the primary between two checks; made by `step` from the answer. */
  | { type: 'STOP'; facts: Facts; by: { webhook: string } | { harm: Harm } }
  | { type: 'DELIVERED'; facts: Facts; key: string };
