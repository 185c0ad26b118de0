import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import type { CanaryStatus } from '../../api/canary-status.ts';
import { statusOf } from '../../api/kinds/spec-of.ts';
import { writesKstatus } from '../../api/kstatus.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { isParsed, parseStatusOnce } from '../../api/parse-canary.ts';
import { defined } from '../../base/defined.ts';
import { isRecord } from '../../base/json.ts';
import type { Facts } from '../../engine/facts.ts';
import type { Question } from '../../engine/questions.ts';
import { isConflict } from '../../kube/errors.ts';
import { refuse } from '../admission/admission.ts';
import { isForeign } from '../adoption/adoption.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import type { HealingBrake } from '../objects/healing-brake.ts';
import { writerSignature } from '../writer-clock.ts';
import { draftStatus } from './draft.ts';
import { type Rival, StatusOwnership } from './ownership.ts';
import { SentencePause } from './sentence-pause.ts';
import { isAnnouncement, type SentStatus, UnansweredWrites } from './unanswered-writes.ts';
import type { StatusWarning } from './warnings.ts';

/** Between two looks for a newer CRD, in milliseconds. */
const OUTDATED_PAUSE_MS = { first: 500, longest: 60_000 };

export type StatusWriteOutcome =
  /** `sentenceDueInMs`: a delayed sentence can be written after this time (rule E55). */
  | { outcome: 'written'; canary: Canary; sentenceDueInMs?: number }
  /** Another writer was first, and the watch will bring that version. */
  | { outcome: 'conflict' }
  /** The installed CRD drops our memory. */
  | { outcome: 'outdated'; retryInMs: number };

/** Stores one Canary's status: what was recorded and what its conditions say, in one patch, and only where it is news. */
export class StatusWriter {
  readonly #deps: ControllerDeps;
  readonly #sentence = new SentencePause();
  readonly ownership: StatusOwnership;
  readonly #unanswered = new UnansweredWrites();
  #outdatedUntilMs = 0;
  #outdatedPauseMs = 0;

  constructor(deps: ControllerDeps, ownership = new StatusOwnership(deps.writer)) {
    this.#deps = deps;
    this.ownership = ownership;
  }

  /** No answer to a write is awaited. */
  get isAnswered(): boolean {
    return this.#unanswered.areNone;
  }

  /** No release is safe without a memory; looking again is all that is left. */
  isWaitingForCrd(): boolean {
    return this.#deps.clock.nowMs() < this.#outdatedUntilMs;
  }

  /** The other controller that writes this status. */
  rivalOf(raw: KubeObject): Rival | undefined {
    return this.ownership.rivalOf(raw, this.#deps.clock.monotonicMs());
  }

  /** A write whose answer was lost, when this Canary holds it. Each is returned once. */
  takeUnanswered(canary: Canary): SentStatus | undefined {
    return this.#unanswered.takeStored(canary.status?.release);
  }

  /** `willWrite` is called before a record is sent: a write whose answer is lost can be stored nevertheless. */
  async write(
    canary: Canary,
    facts: Facts,
    questions: readonly Question[],
    {
      brake,
      warnings,
      acceptedGeneration,
      willWrite,
      signal,
    }: {
      brake: HealingBrake;
      warnings: readonly StatusWarning[];
      acceptedGeneration: number | undefined;
      willWrite(): void;
      signal: AbortSignal;
    },
  ): Promise<StatusWriteOutcome> {
    const record = questions.findLast((question) => question.kind === 'record');
    const ref = { apiVersion: canary.apiVersion, kind: 'Canary', name: canary.metadata.name, namespace: canary.metadata.namespace };
    // Read before the write: the watch can bring its result sooner than the answer.
    const found = this.#deps.view.find(ref)?.object.status;
    const stored = isRecord(found) ? found : undefined;
    const draft = draftStatus(canary, facts, record, {
      ...{ stored, brake, warnings, kstatus: writesKstatus(canary, this.#deps.config) },
      signature: { ...writerSignature(this.#deps), ...defined({ acceptedGeneration }) },
      sentence: this.#sentence,
    });
    if (draft === undefined) return { outcome: 'written', canary };
    const { patch, sentenceDueInMs } = draft;
    if (patch === undefined)
      return {
        outcome: 'written',
        canary: { ...canary, status: draft.status },
        ...(sentenceDueInMs === undefined ? {} : { sentenceDueInMs }),
      };
    if (record !== undefined) {
      willWrite();
      this.#unanswered.sent({ phase: draft.phase, release: draft.status.release, announcements: questions.filter(isAnnouncement) });
    }
    const send = (dryRun: boolean): Promise<KubeObject> => this.#deps.cluster.patch(ref, patch, { subresource: 'status', signal, dryRun });
    try {
      // If nothing of ours is stored yet, perhaps nothing can be: then the current phase must not change either.
      const isFirst = isForeign(canary, this.#deps.view);
      let answer = await send(isFirst);
      if (isFirst && statusOf<{ release: unknown }>(answer).release !== undefined) answer = await send(false);
      const status = isRecord(answer.status) ? readAnswer(answer.status, draft.signed) : undefined;
      if (status?.release === undefined)
        return await this.#waitForCrd({ ...answer, status: { ...statusOf(answer), ...stored, release: undefined } }, signal);
      this.#deps.view.learn(answer);
      this.ownership.learn(answer);
      this.#unanswered.answered();
      this.#outdatedPauseMs = 0;
      if (canary.status?.phase !== draft.phase) this.#deps.metrics.phaseChanged(canary, draft.phase);
      const isKnown = canary.status?.conditions?.some(({ type, message }) => type === 'StatusTruncated' && message === draft.truncated);
      if (draft.truncated !== undefined && isKnown !== true)
        this.#deps.announceOn(canary, { reason: 'StatusTruncated', type: 'Warning', message: draft.truncated });
      const { resourceVersion = '' } = answer.metadata;
      return { outcome: 'written', canary: { ...canary, metadata: { ...canary.metadata, resourceVersion }, status } };
    } catch (error) {
      if (isConflict(error)) return { outcome: 'conflict' };
      throw error;
    }
  }

  async #waitForCrd(answer: KubeObject, signal: AbortSignal): Promise<StatusWriteOutcome> {
    const message = 'status.release was not stored: apply the Canary CRD of this version (serin crds apply)';
    await refuse(answer, { reason: 'CRDOutdated', message }, this.#deps, signal);
    const { first, longest } = OUTDATED_PAUSE_MS;
    this.#outdatedPauseMs = Math.min(this.#outdatedPauseMs * 2 || first, longest);
    this.#outdatedUntilMs = this.#deps.clock.nowMs() + this.#outdatedPauseMs;
    return { outcome: 'outdated', retryInMs: this.#outdatedPauseMs };
  }
}

/** An answer equal to the sent status need not be parsed: most are. An answer that holds null, or a text with that word, is parsed. */
function readAnswer(answered: object, sent: CanaryStatus | undefined): CanaryStatus | undefined {
  const text = JSON.stringify(sent) ?? 'null';
  const plain: CanaryStatus = text.includes('null') ? undefined : JSON.parse(text);
  if (plain !== undefined && isDeepStrictEqual(plain, answered)) isParsed(answered);
  return parseStatusOnce(answered);
}
