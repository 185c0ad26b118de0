import type { Canary } from '../api/canary.ts';
import { type ObjectRef, refKey, refOf } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import type { Router } from '../routers/router.ts';
import { type Companion, isOfPods } from '../workloads/companions/index.ts';
import { budgetsAtArrival } from './budgets.ts';
import { namedAtArrival, scalersAtArrival } from './named.ts';
import { peersAtArrival } from './peers.ts';
import type { ArrivalPlan, Loss } from './plan.ts';
import { policiesAtArrival } from './policies.ts';
import { routedAtArrival } from './routed.ts';
import { servicesAtArrival } from './services.ts';
import type { LivingApplication } from './world.ts';

/** Annotation on a user's object: its loss by an arrival is accepted, and refuses no Canary. */
export const acceptedLossAnnotation = 'serin.dev/arrival-loss';
export const ACCEPTED = 'accepted';

export interface ArrivalOptions {
  /** Objects that will be made for the primary, with their sources. */
  companions: readonly Companion[];
  /** The provider routes requests to the Services of the two sides, so that objects attached to the apex Service by name lose their effect. */
  routesPastApex: boolean;
  /** Router of the provider, `undefined` if it is not known. */
  router?: Pick<Router, 'unkept'> | undefined;
  /** `warn`: nothing is refused (`--arrival`). */
  mode: 'refuse' | 'warn';
  /** The primary serves already, as after an upgrade or a takeover from Flagger: only losses by an edit of the Canary are refused. */
  isServing: boolean;
}

/**
 * Effects of a Canary on a living application at its arrival, computed before the first write (I17). Pure: the controller, `serin validate` and `serin
 * preflight` share it. Selectors are compared by evaluation over the pods of both sides and of other workloads, not by text.
 */
export function arrival(
  canary: Canary,
  world: LivingApplication,
  { companions, routesPastApex, router, mode, isServing }: ArrivalOptions,
): ArrivalPlan {
  const sourcesOf = (found: readonly Companion[]) => new Set(found.map(({ source }) => refKey(source)));
  const [ofPods, ofPeers] = [true, false].map((is) => sourcesOf(companions.filter(({ object }) => isOfPods(object) === is)));
  const hasCompanion = (ref: ObjectRef) => ofPods?.has(refKey(ref)) === true;
  const services = servicesAtArrival(canary, world);
  const policies = policiesAtArrival(world, hasCompanion);
  const peers = peersAtArrival(world, (ref) => ofPeers?.has(refKey(ref)) === true);
  const others = [
    ...namedAtArrival(canary, world, routesPastApex),
    ...(router ? routedAtArrival(canary, world, router) : []),
    ...budgetsAtArrival(canary, world),
    ...scalersAtArrival(canary, world).filter(({ object }) => !hasCompanion(object)),
  ];
  const found = [...services.losses, ...policies.losses, ...peers, ...others];
  const losses = found.map((loss): Loss => {
    if (!loss.isFirm && isAccepted(world, loss)) return { ...loss, isRefused: false, isAccepted: true };
    return mode === 'warn' || (isServing && !loss.isNew) ? { ...loss, isRefused: false } : loss;
  });
  return {
    writes: writesOf(canary, world),
    keeps: [...services.keeps, ...policies.keeps].map(refOf),
    follows: services.follows,
    companions,
    losses: losses.toSorted((a, b) => Number(b.isRefused) - Number(a.isRefused)),
    unchecked: world.unread,
  };
}

/** The annotation on the object accepts its loss. */
export function isAccepted({ objects }: Pick<LivingApplication, 'objects'>, { object }: Pick<Loss, 'object'>): boolean {
  const found = objects.find((one) => refKey(refOf(one)) === refKey(object));
  return found?.metadata.annotations?.[acceptedLossAnnotation] === ACCEPTED;
}

function writesOf(canary: Canary, { namespace, primary }: LivingApplication): ObjectRef[] {
  const { apexService, primaryService, canaryService } = names(canary);
  return [
    primary.owner,
    ...[apexService, primaryService, canaryService].map((name) => ({ apiVersion: 'v1', kind: 'Service', name, namespace })),
  ];
}

/** One sentence: the object, the rule and the remedy. `home`: the namespace of the Canary. */
export function lossText({ object: { kind, name, namespace }, field, detail, remedy }: Loss, home: string): string {
  const where = namespace === undefined || namespace === home ? '' : `${namespace}/`;
  return `${kind} ${where}${name}: ${field} ${detail}. To keep it, ${remedy}`;
}
