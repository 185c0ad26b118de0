import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, type Labels, refKey, refOf } from '../../api/kube-object.ts';
import { keepAnnotation } from '../../api/names.ts';
import type { SelectorLabels } from '../../api/selector-label.ts';
import { isResting } from '../../api/step.ts';
import type { DesiredState } from '../../engine/desired-state.ts';
import type { Facts } from '../../engine/facts.ts';
import { type FoundPort, portKey } from '../../routers/ports.ts';
import type { Apex } from '../../routers/router.ts';
import { type CurrentServices, discoverPorts } from '../../routers/services.ts';
import { servicesOf } from '../admission/service-fit.ts';
import { adoptRestored } from '../adoption/adopt-restored.ts';
import { takeOver } from '../adoption/take-over.ts';
import { TargetUnusableError } from '../errors.ts';
import { primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import type { ViewedObject } from '../watch/cluster-view.ts';
import { type ReconcileContext, workloadOf } from './context.ts';
import { addedPorts } from './left-ports.ts';
import { orderedWrites } from './ordered-writes.ts';
import { combined, HELD, type Outcome, WRITTEN } from './outcome.ts';
import { forgetScale } from './replicas.ts';
import { WriteApplier } from './write-applier.ts';

/** Makes the cluster hold the desired state: the writes follow from it and the facts, and are applied in their order. */
export async function reconcile(context: ReconcileContext, desired: DesiredState, facts: Facts): Promise<Outcome> {
  if (desired.frozen || !desired.prepared) return HELD;
  const { canary, view, router } = context;
  const adopted = await adoptRestored(canary, workloadOf(canary), router, context);
  const tookOver = (await takeOver(canary, workloadOf(canary), router, context)) || adopted;
  const target = facts.target && view.find(targetRefOf(canary));
  const primary = facts.primary && view.find(primaryRefOf(canary));
  const apex = await apexOf(context, target, primary);
  if (primary && facts.primary?.replicas) context.lastReplicas.set(refKey(refOf(primary.object)), facts.primary.replicas);
  const isKept = [canary, target?.object].some(isToBeKept);
  const writes = orderedWrites(desired, facts, { hasTarget: target !== undefined, hasApex: apex !== undefined, isKept });
  forgetScale(context, targetRefOf(canary), (direction) => (desired.target === 'up' ? direction === 'zero' : direction === 'up'));
  const applier = new WriteApplier(context, desired, facts, { target, primary, apex });
  let outcome = tookOver ? WRITTEN : HELD;
  for (const write of writes) {
    if ('whenConverged' in write && !outcome.converged) continue;
    outcome = combined(outcome, await applier.apply(write));
  }
  // No new work begins without its scalers, but traffic comes first.
  if (outcome.problem) throw outcome.problem;
  return outcome;
}

function isToBeKept(object: { metadata: { annotations?: Labels | undefined } } | undefined): boolean {
  return object?.metadata.annotations?.[keepAnnotation] === 'true';
}

/**
 * Services and routes are made from the target. If it was deleted, or no Service could tell its pods from the primary's (E95), they are made only from the
 * primary, since traffic has to leave that side (I5).
 */
async function apexOf(
  context: ReconcileContext,
  target: ViewedObject | undefined,
  primary: ViewedObject | undefined,
): Promise<Apex | undefined> {
  const source = target ?? primary;
  if (!source) return undefined;
  const workload = workloadOf(context.canary);
  const { selectorLabels } = context.config;
  const sides = { target: target?.object, primary: primary?.object };
  const both = workload.selectors(sides, selectorLabels);
  const selector = 'problem' in both && primary ? workload.selectors({ primary: primary.object }, selectorLabels) : both;
  if ('problem' in selector) {
    if (!target) return undefined;
    throw new TargetUnusableError(selector.problem, { object: refOf(source.object), field: selector.field });
  }
  const services = servicesOf(context.canary, context.view);
  const added = services.apex && (await addedPorts(context, services.apex));
  const isLeft = (port: FoundPort) => added?.has(portKey(port)) === true && !context.leftPorts.isLedTo(context, port);
  return {
    selector: selectingAsBefore(context.canary, selector, services),
    ports: discoverPorts(context.canary, source.object, services.apex, isLeft),
  };
}

/**
 * Services that an earlier Serin or Flagger made select by one label: they are narrowed as a release starts, so that an upgrade writes nothing (I8).
 * All of them do; where only some do, it is an edit of others.
 */
function selectingAsBefore(
  canary: Canary,
  selector: SelectorLabels,
  { apex, primary, canary: canaryService }: CurrentServices,
): SelectorLabels {
  const { whole: _, wholePrimary: __, ...single } = selector;
  const { key } = selector;
  const isOfOne = (service: KubeObject | undefined, value: string) =>
    service === undefined || isDeepStrictEqual(specOf<ServiceSpec>(service).selector, { [key]: value });
  const isAsBefore =
    primary !== undefined &&
    [apex, primary].every((service) => isOfOne(service, selector.primary)) &&
    isOfOne(canaryService, selector.target);
  return isResting(canary.status?.release) && isAsBefore ? single : selector;
}
