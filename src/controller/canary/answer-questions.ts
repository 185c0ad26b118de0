import type { NewBlocker } from '../../api/blocker.ts';
import { blockerText } from '../../api/blocker-text.ts';
import type { HookType } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { wereWrittenBetween } from '../../engine/pin.ts';
import type { Answer, HookCall, Question } from '../../engine/questions.ts';
import { isAlreadyExists, isConflict } from '../../kube/errors.ts';
import { runHooks } from '../../webhooks/run-hooks.ts';
import { configsOf, copiesInUse } from '../../workloads/configs/copies.ts';
import { secretsPolicy } from '../../workloads/configs/read-configs.ts';
import { configReferences } from '../../workloads/configs/references.ts';
import type { PrimarySpec, Workload } from '../../workloads/workload.ts';
import { blockerOf } from '../admission/blocker-of.ts';
import { type KeepTemplateOptions, promotionsIn } from '../adoption/template-records.ts';
import { NoPromotedTemplateError, TemplateLeftoverError } from '../errors.ts';
import { primaryRefOf, readSides } from '../facts/gather-facts.ts';
import { readTargetConfigs } from '../facts/target-configs.ts';
import type { AnswerContext } from '../reconcile/answer-context.ts';
import { makeCopies, pruneCopies, refreshCopy } from '../reconcile/config-copies.ts';
import { workloadOf } from '../reconcile/context.ts';
import { patchPrimary } from '../reconcile/patch-primary.ts';
import { restartPrimary } from '../reconcile/restart-primary.ts';
import { undo, undoableTemplate } from '../reconcile/undo.ts';

/** They decide whether a release goes on or is rolled back. The others do something. */
const GATES: ReadonlySet<HookType> = new Set(['confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion', 'rollback']);

/** Promotions that are started again at once, since another writer changed the primary's version (E103). */
const MOST_RACES = 3;

type AnswerableQuestion = Extract<
  Question,
  { kind: 'runHooks' | 'measure' | 'compare' | 'promote' | 'restorePrimary' | 'undo' | 'restart' }
>;

/** Answers one of the chart's questions. Every outcome is a value, refusals included: only an aborted signal throws. */
export async function answerQuestion(question: AnswerableQuestion, context: AnswerContext): Promise<Answer> {
  const { id } = question;
  switch (question.kind) {
    case 'runHooks': {
      const { canary, signal, clock, secret, timeCall } = context;
      const callsOf = GATES.has(question.type) ? context.gatesOf : context.callsOf;
      const { type, phase, checksum, key } = question;
      const revision = canary.status?.release?.revision ?? '';
      const calls: HookCall[] = [];
      const outcome = await runHooks(canary, type, {
        ...{ key, phase, checksum, revision, signal, clock, secret, timeCall },
        ...callsOf?.(canary.metadata.namespace),
        answered: (call) => void calls.push(call),
      });
      return { kind: 'runHooks', id, type, ...outcome, ...(calls.length > 0 && { calls }) };
    }
    case 'measure': {
      const queries: string[] = [];
      const { canary, signal } = context;
      const measured = await context.measure(canary, question.compare, signal, (query) => void queries.push(query));
      return { kind: 'measure', id, ...measured, ...(queries.length > 0 && { queries }) };
    }
    case 'compare': {
      const queries: string[] = [];
      const compared = await context.compare(context.canary, question.compare, context.signal, (query) => void queries.push(query));
      return { kind: 'compare', id, compared, ...(queries.length > 0 && { queries }) };
    }
    case 'promote':
      return { kind: 'promote', id, ...(await unlessRaced(() => promote(question.revision, context), context)) };
    case 'restorePrimary':
      return { kind: 'restorePrimary', id, ...(await unlessRaced(() => restorePrimary(question.revision, context), context)) };
    case 'undo':
      return { kind: 'undo', id, ...(await undo(question.revision, context)) };
    case 'restart':
      return { kind: 'restart', id, ...(await unlessRaced(() => restartPrimary(question.atMs, context), context)) };
    default:
      return question satisfies never;
  }
}

type RefusedWrite = { outcome: 'refused'; reason: string; blocker?: NewBlocker };
type PrimaryWriteOutcome = { outcome: 'written' } | RefusedWrite;

/** After a lost race everything is read again at once, and compared again with the analysed revision (E103). */
async function unlessRaced<T>(act: () => Promise<T>, { canary, signal }: AnswerContext): Promise<T | RefusedWrite> {
  for (let races = 0; ; races += 1) {
    try {
      return await act();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!isConflict(error) || isAlreadyExists(error)) {
        const blocker = blockerOf(error, canary.metadata.namespace);
        return { outcome: 'refused', reason: error instanceof Error ? error.message : String(error), ...(blocker && { blocker }) };
      }
      if (races === MOST_RACES) return { outcome: 'refused', reason: 'another writer changes the primary without pause; trying again' };
    }
  }
}

/** Only analysed bytes are promoted: the target is read once and compared with the pinned revision before the one write (I3). */
async function promote(revision: string, context: AnswerContext): Promise<PrimaryWriteOutcome | { outcome: 'mismatch' }> {
  const { canary, config, anchors, signal } = context;
  const workload = workloadOf(canary);
  const { target, primary } = await readSides(context);
  if (!primary) return { outcome: 'refused', reason: 'the primary does not exist' };
  const carried = workload.carries(primary);
  const isCarried = carried === revision;
  const records =
    !isCarried && anchors.templates.hasRoomAfter(canary, carried) ? 'unneeded' : await anchors.templates.records(canary, signal);
  if (isCarried && records !== 'unneeded' && promotionsIn(records)[0]?.revision === revision) {
    // A target that has moved on has the replicas of another revision.
    const { release } = canary.status ?? {};
    const isPinned = target && workload.revision(target) === (release?.template ?? release?.revision);
    if (isPinned) await followReplicas(primary, target, context, workload);
    return { outcome: 'written' };
  }
  const read = target && (await readTargetConfigs(canary, target, workload, context));
  // Written, but not looked at before a crash: now nothing is left to compare it with, and the promotion is finished first.
  if (isCarried && !(read && 'revision' in read && read.revision === revision)) return { outcome: 'written' };
  if (!read) return { outcome: 'refused', reason: 'the target does not exist' };
  if ('problem' in read) return { outcome: 'refused', reason: blockerText(read.problem), blocker: read.problem };
  // Written since the analysis began: pods that started in between might have run something else, even if it is the same again by now (E56).
  const pinned = canary.status?.release?.configs ?? {};
  const isInDoubt = wereWrittenBetween(read.configs, pinned);
  if (read.revision !== revision || isInDoubt) {
    context.configs.learn(read);
    return { outcome: 'mismatch' };
  }
  const selector = workload.selectors({ target, primary }, config.selectorLabels);
  if ('problem' in selector) return { outcome: 'refused', reason: selector.problem };
  const options = { ...config, selector, revision, replicas: workload.replicas(primary), configs: read.copies.names };
  const template = workload.primaryTemplate(canary, target, options);
  const inUse = configsOf([workload.promotedPart(primary)]);
  const madeCopies =
    read.copies.copies.length > 0 && (await makeCopies(context, read.copies, await anchors.reference(canary, signal), inUse));
  const history = isCarried || records === 'unneeded' ? records : await keepCarried(primary, records, context, workload);
  const isWritten = isCarried && workload.templateMatches(primary, template) === undefined;
  const answer = isWritten ? primary : await write(primary, template, context, workload);
  const leftover = workload.templateMatches(answer, template, primary);
  if (leftover !== undefined) throw new TemplateLeftoverError(primaryRefOf(canary), leftover);
  // After a copy was made, the records decide which copies can go.
  const known = madeCopies && history === 'unneeded' ? undefined : history;
  await keep(primary, template, revision, context, workload, { target: undoableTemplate(canary, target), records: known, madeCopies });
  await followReplicas(primary, target, context, workload);
  return { outcome: 'written' };
}

/**
 * Keeps the primary's template, because it might have to be restored. It has no record when the controller was killed after it wrote the template and before it
 * kept it. Returns the records after that.
 */
async function keepCarried(
  primary: KubeObject,
  records: readonly KubeObject[],
  { canary, anchors, signal }: AnswerContext,
  workload: Workload,
): Promise<readonly KubeObject[]> {
  const carried = workload.carries(primary);
  if (carried === undefined || promotionsIn(records).some((promoted) => promoted.revision === carried)) return records;
  await anchors.templates.keep(canary, workload.promotedPart(primary), carried, { records, signal });
  return anchors.templates.records(canary, signal);
}

/**
 * Without a scaler the primary gets as many pods as the target has, but never none; with one its pods are not ours. After
 * the template: what scaling does to the object would refuse that write.
 */
async function followReplicas(
  primary: KubeObject,
  target: KubeObject,
  { canary, cluster, signal }: AnswerContext,
  workload: Workload,
): Promise<void> {
  const replicas = workload.replicas(target);
  if (canary.spec.autoscalerRef || replicas === 0 || replicas === workload.replicas(primary)) return;
  const scale = workload.scalePatch(primary, replicas);
  if (!scale) return;
  const { patch, subresource } = scale;
  await cluster.patch(primaryRefOf(canary), patch, { signal, ...(subresource && { subresource }) });
}

/** Restores the last promoted template, after a promotion that the primary could not take. */
async function restorePrimary(revision: string, context: AnswerContext): Promise<PrimaryWriteOutcome> {
  const { canary, cluster, anchors, signal } = context;
  const workload = workloadOf(canary);
  const promoted = await anchors.templates.promoted(canary, signal, revision);
  const primary = await cluster.get(primaryRefOf(canary), { signal });
  if (!promoted) throw new NoPromotedTemplateError(primaryRefOf(canary));
  if (!primary) return { outcome: 'refused', reason: 'the primary does not exist' };
  await refreshRestored(promoted.spec, context, workload);
  // The answer is not compared: nothing must block the rollback. A newer server fills in fields that it did not know at the promotion.
  await write(primary, promoted.spec, context, workload);
  await keep(primary, promoted.spec, revision, context, workload, { target: promoted.target });
  return { outcome: 'written' };
}

/** Copies of Secrets that have become live since hold revoked values (E132). */
async function refreshRestored(template: PrimarySpec, context: AnswerContext, workload: Workload): Promise<void> {
  const { canary, cluster, anchors, config, signal } = context;
  const { mode, names } = secretsPolicy(config, canary.metadata.namespace);
  if (!config.enableConfigTracking || mode === 'off' || names.length > 0) return;
  const target = await cluster.get(workload.targetRef(canary), { signal });
  const sources = target ? (workload.configs?.(target) ?? []) : [];
  for (const inUse of copiesInUse(sources, configReferences(template.template?.spec)))
    await refreshCopy({ canary, cluster, signal }, inUse, () => anchors.reference(canary, signal));
}

async function write(
  primary: KubeObject,
  template: PrimarySpec,
  { cluster, learn, signal }: AnswerContext,
  workload: Workload,
): Promise<KubeObject> {
  const answer = await patchPrimary(cluster, primary, (now) => workload.promotionPatch(now, template), signal);
  learn(answer);
  return answer;
}

/** The newest record of the history is what the primary was found to hold. */
async function keep(
  primary: KubeObject,
  template: PrimarySpec,
  revision: string,
  context: AnswerContext,
  workload: Workload,
  { madeCopies = true, ...history }: Pick<KeepTemplateOptions, 'target' | 'records'> & { madeCopies?: boolean },
): Promise<void> {
  const { canary, anchors, signal } = context;
  const { kept, pruned } = await anchors.templates.keep(canary, template, revision, { ...history, signal });
  // The primary's old pods can read the old copies until they are gone, even without a record in the history.
  const inUse = [...kept, workload.promotedPart(primary)];
  if (context.config.enableConfigTracking) await pruneCopies(context, { kept: inUse, pruned }, madeCopies);
}
