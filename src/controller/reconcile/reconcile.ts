import { type Labels, refKey, refOf } from '../../api/kube-object.ts';
import { keepAnnotation } from '../../api/names.ts';
import type { Facts } from '../../engine/facts.ts';
import type { Intent } from '../../engine/intent.ts';
import type { Apex } from '../../routers/router.ts';
import { discoverPorts } from '../../routers/services.ts';
import { takeOver } from '../adoption/take-over.ts';
import { TargetUnusableError } from '../errors.ts';
import { primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import { scalingOf } from '../facts/scaling.ts';
import { ensure } from '../objects/ensure-object.ts';
import type { ViewedObject } from '../watch/cluster-view.ts';
import { type ReconcileContext, type Reconciled, workloadOf } from './context.ts';
import { raise, replicasToRaise, scale } from './replicas.ts';
import { ensurePrepared, ensureRoutes, ensureServices, type Role } from './routes.ts';
import { ensureScalers, pauseScaler, resumeScaler } from './scalers.ts';
import { ensureCanary, ensurePrimary, refuseUnusable } from './sides.ts';

/**
 * Makes the cluster hold the intent: what stands already is not written again, so a crash between any two writes is healed by the next
 * pass. Services come before the workloads that they select, capacity before traffic, traffic before scaling down (I5).
 */
export async function reconcile(context: ReconcileContext, intent: Intent, facts: Facts): Promise<Reconciled> {
  const done: Reconciled = { converged: true, wrote: false };
  if (intent.frozen || !intent.prepared) return done;
  const { canary, view, router } = context;
  if (await takeOver(canary, workloadOf(canary), router, context)) done.wrote = true;
  const target = facts.target && view.find(targetRefOf(canary));
  const primary = facts.primary && view.find(primaryRefOf(canary));
  const apex = apexOf(context, target, primary);
  if (primary && facts.primary?.replicas) context.lastReplicas.set(refKey(refOf(primary.object)), facts.primary.replicas);
  if (apex) {
    // An apex that is gone once the primary has it is made again at its turn: on the target it would lead to no pod, or to the canary.
    const roles: Role[] = intent.apexOnPrimary ? ['primary', 'canary'] : ['primary', 'canary', 'apex'];
    await ensureServices(context, apex, { roles, apexOnPrimary: false }, done);
    await ensurePrepared(context, apex, done);
    // First what is kept nowhere: what the cluster refuses of a copy is to be known before the primary's is recorded as one to go back to.
    if (target) await ensureCanary(context, target, intent, facts, done);
    if (target) await ensurePrimary(context, target, primary, apex, facts, done);
    // A mark on a target that is gone still counts.
    const isKept = [canary, target?.object].some(isToBeKept);
    if (target || isKept) await context.anchors.keep(canary, isKept, context.signal);
  }
  const scaling = scalingOf(context.canary, context.view);
  const problem = await ensureScalers(context, scaling, intent, done, (object) =>
    ensure(context, object, { takenOver: false, isWhole: true }, done),
  );
  // Nothing new is begun without its scalers, but traffic is looked after: the problem is told when all that can be done is done.
  if (problem) done.converged = false;
  await raise(context, primaryRefOf(context.canary), facts.primary?.replicas, intent.atLeast.primary, done);
  if (intent.primary === 'up' && facts.primary?.replicas === 0) {
    await scale(context, primaryRefOf(context.canary), Math.max(1, facts.target?.replicas ?? 1), done);
  }
  if (intent.target === 'up' && scaling) await resumeScaler(context, scaling, done);
  if (intent.target === 'up' && target && facts.target?.replicas === 0) {
    refuseUnusable(context, target);
    await scale(context, targetRefOf(context.canary), replicasToRaise(context, target, scaling, intent.targetStart), done);
  } else if (target) {
    await raise(context, targetRefOf(context.canary), facts.target?.replicas, intent.atLeast.target, done);
  }
  if (apex && intent.apexOnPrimary) await ensureServices(context, apex, { roles: ['apex'], apexOnPrimary: true }, done);
  if (apex && intent.routes) await ensureRoutes(context, apex, intent.routes, done);
  // Its scaler stands down before the target does, and neither before the traffic has gone (03-B32).
  if ((intent.target === 'zero' || intent.target === 'idle') && done.converged && scaling) await pauseScaler(context, scaling, done);
  if (intent.target === 'zero' && (facts.target?.replicas ?? 0) > 0 && done.converged) {
    await scale(context, targetRefOf(context.canary), 0, done);
  }
  if (problem) throw problem;
  return done;
}

function isToBeKept(object: { metadata: { annotations?: Labels | undefined } } | undefined): boolean {
  return object?.metadata.annotations?.[keepAnnotation] === 'true';
}

/**
 * What Services and routes are made from: the target, or, when somebody deleted it, the primary that was made from it, since traffic has to
 * leave a side that is gone (I5).
 */
function apexOf(context: ReconcileContext, target: ViewedObject | undefined, primary: ViewedObject | undefined): Apex | undefined {
  const source = target ?? primary;
  if (!source) return undefined;
  const selector = workloadOf(context.canary).selector(source.object, context.config.selectorLabels);
  if ('problem' in selector) {
    if (!target) return undefined;
    throw new TargetUnusableError(selector.problem, { object: refOf(source.object), field: selector.field });
  }
  const ports = discoverPorts(context.canary, source.object);
  return { selector: target ? selector : { ...selector, value: selector.value.replace(/-primary$/, '') }, ports };
}
