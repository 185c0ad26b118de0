import { guardMark, isToBeGuarded } from '../../api/apex-guard.ts';
import type { PodWorkloadSpec } from '../../api/kinds/pod-workload-spec.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { SERVICE_KIND } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, type Labels, refKey, refOf, type Slim } from '../../api/kube-object.ts';
import type { SelectorLabels } from '../../api/selector-label.ts';
import { isResting } from '../../api/step.ts';
import { type Following, followingOf, followPatch } from '../../arrival/followers.ts';
import { planFor } from '../../arrival/plan-for.ts';
import { targetRefOf } from '../facts/gather-facts.ts';
import { writerOf } from '../objects/drift.ts';
import { type ReconcileContext, workloadOf } from './context.ts';
import { CHANGED, combined, HELD, type Outcome, PENDING, pausedRoute } from './outcome.ts';

interface FoundSides {
  target: { object: Slim } | undefined;
  primary: { object: Slim } | undefined;
}

export const podLabels = (workload: Slim | undefined): Labels | undefined => specOf<PodWorkloadSpec>(workload).template?.metadata?.labels;

/** Lets the other Services of the target follow the apex Service to the primary (I17). A follower that is put back is corrected under the brake. */
export async function ensureFollowers(context: ReconcileContext, label: SelectorLabels, found: FoundSides): Promise<Outcome> {
  const { canary, view } = context;
  const primary = podLabels(found.primary?.object);
  if (!workloadOf(canary).hasPods || primary === undefined) return HELD;
  // A release does not wait for the list of all Services.
  if (!view.isListed({ ...SERVICE_KIND, namespace: canary.metadata.namespace })) return PENDING;
  const services = view.allIn(SERVICE_KIND, canary.metadata.namespace).map(({ object }) => object);
  let outcome = HELD;
  for (const one of followingOf(canary, services, label, { target: podLabels(found.target?.object), primary })) {
    if (specOf<ServiceSpec>(one.service).selector?.[label.key] === label.primary) {
      outcome = combined(outcome, await guard(context, one));
      continue;
    }
    if (!one.isMarked && !(await context.followers.isOwn(one.service, () => leadsToTargetAlone(context, one)))) continue;
    outcome = combined(outcome, await follow(context, one));
  }
  return outcome;
}

/** Marks a follower of a version without the guard, when a release is under way. */
async function guard({ canary, cluster, view, signal }: ReconcileContext, { service, isMarked }: Following): Promise<Outcome> {
  if (!isMarked || isResting(canary.status?.release) || !isToBeGuarded(service)) return HELD;
  const { resourceVersion } = service.metadata;
  view.learn(await cluster.patch(refOf(service), { metadata: { resourceVersion, annotations: guardMark(service) } }, { signal }));
  return CHANGED;
}

/** True by all workloads of the namespace, of which not all kinds are watched. Routes of a provider do not matter. */
async function leadsToTargetAlone(context: ReconcileContext, { service }: Following): Promise<boolean> {
  const { applications, canary, config, signal } = context;
  const { objects, unread } = await applications.read(canary.metadata.namespace, 'none', signal);
  const target = objects.find((one) => refKey(refOf(one)) === refKey(targetRefOf(canary)));
  if (target === undefined) return false;
  const { selectorLabels, companions } = config;
  const settings = { selectorLabels, companions, provider: undefined, mode: 'warn', isServing: true } as const;
  const plan = planFor(canary, { target, objects, unread }, settings);
  return plan !== undefined && !('problem' in plan) && plan.follows.some(({ object }) => object.name === service.metadata.name);
}

async function follow(context: ReconcileContext, one: Following): Promise<Outcome> {
  const { cluster, view, brake, wanted, nowMs, signal, serviceGuard, followers } = context;
  const { service, selector, isMarked } = one;
  const ref = refOf(service);
  const key = `${refKey(ref)}#follows`;
  const what = `${service.metadata.uid} ${JSON.stringify(selector)}`;
  const isDrift = wanted.get(key) === what;
  const undoing = { field: 'spec.selector', by: 'another', ...writerOf(view.find(ref), 'spec.selector') } as const;
  const waitMs = isDrift ? brake.waitMs(key, nowMs) : 0;
  if (waitMs > 0) return pausedRoute(waitMs, ref, undoing);
  const write = async () => {
    view.learn(await cluster.patch(ref, followPatch(one), { signal }));
  };
  const live: KubeObject = { ...service, spec: { ...specOf<ServiceSpec>(service), selector } };
  await (isDrift ? write() : serviceGuard.write(context, { wanted: live, live: service, side: 'primary' }, write));
  wanted.set(key, what);
  if (isDrift) brake.corrected(key, nowMs, undoing, { isRoute: true });
  else {
    brake.forget(key);
    if (!isMarked) followers.follows(service.metadata.name);
  }
  return CHANGED;
}
