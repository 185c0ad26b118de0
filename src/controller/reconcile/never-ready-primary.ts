import { isCreatingPrimary } from '../../api/step.ts';
import { progressDeadlineMs } from '../../engine/deadlines.ts';
import type { Facts } from '../../engine/facts.ts';
import type { Apex } from '../../routers/router.ts';
import { ConfigUnavailableError } from '../errors.ts';
import { readSides } from '../facts/gather-facts.ts';
import { readTargetConfigs } from '../facts/target-configs.ts';
import { makeCopies } from './config-copies.ts';
import { type ReconcileContext, workloadOf } from './context.ts';
import { CHANGED, HELD, type Outcome } from './outcome.ts';
import { patchPrimary } from './patch-primary.ts';
import { undoableTemplate } from './undo.ts';

/**
 * The primary of a new Canary has not served within the progress deadline, and the target that it was made from has been corrected since: nothing else would
 * ever bring it up. Until then it could merely be slow, and a version pushed meanwhile is analysed like every other revision (I3).
 */
export function wasNeverReady({ canary }: ReconcileContext, { target, primary, nowMs }: Facts): boolean {
  const { phase, release } = canary.status ?? {};
  if (phase !== 'Initializing' || release === undefined || !isCreatingPrimary(release) || release.promotedRevision !== undefined)
    return false;
  if (nowMs < release.stepStartedMs + progressDeadlineMs(canary)) return false;
  if (!workloadOf(canary).hasPods || target === undefined || target.undetermined !== undefined) return false;
  return primary?.carries !== undefined && primary.carries !== target.revision && !primary.serving;
}

/** Writes the target's current template into it, and forgets the template that never served: no rollback goes to it. */
export async function renewPrimary(context: ReconcileContext, apex: Apex): Promise<Outcome> {
  const { canary, view, cluster, anchors, signal } = context;
  const workload = workloadOf(canary);
  const { target, primary } = await readSides(context);
  if (!target || !primary) return HELD;
  const read = await readTargetConfigs(canary, target, workload, context);
  if ('problem' in read) throw new ConfigUnavailableError(read.problem);
  const { revision, copies } = read;
  const carried = workload.carries(primary);
  if (carried === undefined || carried === revision) return HELD;
  const rendered = { revision, replicas: workload.replicas(primary), configs: copies.names };
  const template = workload.primaryTemplate(canary, target, { ...context.config, selector: apex.selector, ...rendered });
  await makeCopies(context, copies, await anchors.reference(canary, signal));
  await anchors.templates.replace(canary, carried, template, revision, { target: undoableTemplate(canary, target), signal });
  view.learn(await patchPrimary(cluster, primary, (now) => workload.promotionPatch(now, template), signal));
  return CHANGED;
}
