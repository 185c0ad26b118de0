import { applierByManager, applierRemedy } from '../../api/appliers.ts';
import { identityOf } from '../../api/blocker.ts';
import type { Canary } from '../../api/canary.ts';
import type { CanaryCondition, CanaryStatus, Release } from '../../api/canary-status.ts';
import { remedyOf, type WarningCondition, warningConditions } from '../../api/codes/codes.ts';
import { isKstatusType } from '../../api/kstatus.ts';
import type { Phase } from '../../api/phase.ts';
import { defined } from '../../base/defined.ts';
import { timestamp } from '../../base/timestamp.ts';
import type { Facts } from '../../engine/facts.ts';
import { projectStatus } from '../../engine/project-status.ts';
import type { Question } from '../../engine/questions.ts';
import type { HealingBrake } from '../objects/healing-brake.ts';
import { undoneText } from '../objects/healing-brake.ts';
import { attentionOf } from './attention.ts';
import { kstatusConditions } from './kstatus.ts';
import { saysOnlyAnew, statusPatch } from './patch.ts';
import type { SentencePause } from './sentence-pause.ts';
import { fitStatus, MOST_STATUS_BYTES } from './size.ts';
import type { StatusWarning } from './warnings.ts';

const SAID_ANEW = new Set<string>(['Accepted', ...warningConditions]);

/** The process that writes, its clock, and the generation of the spec that it has stored. */
export type Signature = Pick<Release, Signed> & { writer: string };
type Signed = 'writer' | 'clockAheadMs' | 'acceptedGeneration';

type RecordQuestion = Extract<Question, { kind: 'record' }>;

/** The status that is to be stored, and how. */
export interface StatusDraft {
  phase: Phase;
  status: CanaryStatus;
  /** `undefined` if the stored status says it already, or says it well enough for now. */
  patch?: Record<string, unknown>;
  /** The whole status that the patch leads to. */
  signed?: CanaryStatus;
  /** A delayed sentence can be written after this time (rule E55). */
  sentenceDueInMs?: number;
  /** Says which part of the status is left out, since it would be too large. */
  truncated?: string;
}

/** The status after this reconcile, as a patch of the stored one, `undefined` for a Canary that has no release yet. */
export function draftStatus(
  canary: Canary,
  facts: Facts,
  record: RecordQuestion | undefined,
  {
    stored,
    signature,
    brake,
    sentence,
    warnings,
    kstatus,
  }: {
    stored: object | undefined;
    signature: Signature;
    brake: HealingBrake;
    sentence: SentencePause;
    warnings: readonly StatusWarning[];
    /** The conditions of kstatus are written too. */
    kstatus: boolean;
  },
): StatusDraft | undefined {
  const phase = record?.phase ?? canary.status?.phase ?? '';
  const recorded = record?.release ?? canary.status?.release;
  if (recorded === undefined) return undefined;
  const release = signedBy((stored as Partial<CanaryStatus> | undefined)?.release, recorded);
  const wanted = projectStatus(canary, phase, release, facts);
  // A refusal ends with its cause, and a contest is stated again as long as it lasts.
  const kept = (wanted.conditions ?? []).filter(({ type }) => !SAID_ANEW.has(type) && !isKstatusType(type));
  const whole = {
    ...wanted,
    ...(kstatus ? { observedGeneration: canary.metadata.generation } : {}),
    conditions: keepTimes(
      canary,
      [
        ...kept,
        ...refusal(facts),
        ...contested(brake),
        ...dropped(brake),
        ...warnings.map(({ type, message }) => ({ type, status: 'True', reason: type, message }) as const),
        ...(kstatus ? kstatusConditions(canary, wanted, facts) : []),
      ],
      facts.nowMs,
    ),
  };
  const patchTo = (next: CanaryStatus) => statusPatch(stored, next, canary.metadata.resourceVersion, facts.nowMs);
  const patchToWhole = patchTo(whole);
  // The stored status was small enough, and need not be measured again.
  if (patchToWhole === undefined) return { phase, status: whole };
  const { status: fit, left } = fitStatus(whole);
  const truncated = left.length === 0 ? undefined : truncatedMessage(left);
  const status =
    truncated === undefined
      ? fit
      : { ...fit, conditions: [...(fit.conditions ?? []), ...keepTimes(canary, [truncatedCondition(truncated)], facts.nowMs)] };
  const patch = truncated === undefined ? patchToWhole : patchTo(status);
  if (patch === undefined) return { phase, status };
  const sentenceDueInMs = record === undefined && saysOnlyAnew(stored, status) ? pauseOf(canary, facts, status, sentence) : 0;
  if (sentenceDueInMs > 0) return { phase, status, sentenceDueInMs };
  // If only the writer is new, nothing is written: a restart writes nothing (I8).
  const signed = { ...status, reason: attentionOf(status), release: signedBy(signature, status.release ?? release) };
  return {
    phase,
    status,
    signed,
    patch: patchTo(signed) ?? patch,
    ...(truncated !== undefined && { truncated }),
  };
}

function signedBy(
  { writer, clockAheadMs, acceptedGeneration }: Pick<Release, Signed> = {},
  { writer: _, clockAheadMs: _before, acceptedGeneration: _accepted, ...release }: Release,
): Release {
  return { ...release, ...defined({ writer, clockAheadMs, acceptedGeneration }) };
}

/** Readiness moves with each pod: if only the sentence changed, it is written when it stays, and at once when it names a blocker. */
function pauseOf(canary: Canary, facts: Facts, status: CanaryStatus, sentence: SentencePause): number {
  if (canary.spec.suspend === true || (facts.blocker ?? facts.unroutable) !== undefined || facts.target === undefined) return 0;
  const { blockers = [] } = status.release ?? {};
  const said = [status.conditions?.[0]?.message, ...blockers.map(identityOf)].join('\n');
  return sentence.waitMs(said, facts.intervalMs, facts.nowMs);
}

const truncatedMessage = (left: readonly string[]): string =>
  `status: would be larger than ${MOST_STATUS_BYTES / 1024} KiB, and is stored without ${left.join(', ')}: use fewer or shorter metrics, webhooks and alerts, and a shorter spec.service`;

const truncatedCondition = (message: string): CanaryCondition => ({
  type: 'StatusTruncated' satisfies WarningCondition,
  status: 'True',
  reason: 'StatusTruncated',
  message,
});

function refusal({ refused }: Facts): CanaryCondition[] {
  return refused ? [{ type: 'Accepted', status: 'False', reason: refused.reason, message: refused.message }] : [];
}

function contested(brake: HealingBrake): CanaryCondition[] {
  return brake.contested().map(({ key, ...undoing }) => ({
    type: 'Contested' satisfies WarningCondition,
    status: 'True',
    reason: 'FieldContested',
    message: `${key}: ${undoneText(undoing)}; ${linesFor(key, undoing.who) ?? remedyOf('Contested')}`,
  }));
}

/** Remedy for a contest with a known tool: the lines for this object. */
function linesFor(key: string, manager: string | undefined): string | undefined {
  const applier = applierByManager(manager);
  const parts = (key.split('#')[0] ?? '').split('/');
  const [name = '', , kind = ''] = parts.toReversed();
  const lines = applier && applierRemedy(applier, { apiVersion: parts.slice(0, -3).join('/'), kind, name });
  return lines && `${applier.name} applies it; to end this: ${lines.remedy}, or set spec.suspend: true to stop Serin`;
}

function dropped(brake: HealingBrake): CanaryCondition[] {
  return brake.dropped().map(({ key, ...undoing }) => ({
    type: 'FieldDropped' satisfies WarningCondition,
    status: 'True',
    reason: 'FieldDropped',
    message: `${key}: ${undoneText(undoing)}; ${remedyOf('FieldDropped')}`,
  }));
}

/** A condition's times move only with what it says. */
function keepTimes(canary: Canary, conditions: readonly CanaryCondition[], nowMs: number): CanaryCondition[] {
  const now = timestamp(nowMs);
  const before = canary.status?.conditions ?? [];
  return conditions.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const same =
      old !== undefined && old.status === condition.status && old.reason === condition.reason && old.message === condition.message;
    return {
      ...condition,
      lastUpdateTime: same ? (old.lastUpdateTime ?? now) : now,
      lastTransitionTime: old?.status === condition.status ? (old.lastTransitionTime ?? now) : now,
    };
  });
}
