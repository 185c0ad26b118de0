import type { ObjectRef } from '../../api/kube-object.ts';
import type { DesiredState } from '../../engine/desired-state.ts';
import type { Facts } from '../../engine/facts.ts';
import type { Apex } from '../../routers/router.ts';
import { primaryRefOf, targetRefOf } from '../facts/gather-facts.ts';
import { type Scaling, scalingOf } from '../facts/scaling.ts';
import type { ViewedObject } from '../watch/cluster-view.ts';
import { ensureCompanions } from './companions.ts';
import type { ReconcileContext } from './context.ts';
import { ensureFollowers } from './followers.ts';
import type { OrderedWrite, SideName } from './ordered-writes.ts';
import { HELD, type Outcome } from './outcome.ts';
import { raiseReplicas, replicasToRaise, scale } from './replicas.ts';
import { ensurePrepared, ensureRoutes, ensureServices } from './routes.ts';
import { ensureScalers, pauseScaler, resumeScaler } from './scalers.ts';
import { ensureCanary, ensurePrimary, refuseUnusable } from './sides.ts';

interface FoundObjects {
  target: ViewedObject | undefined;
  primary: ViewedObject | undefined;
  apex: Apex | undefined;
}

/** Applies the writes of one reconcile: each looks at the cluster first. */
export class WriteApplier {
  readonly #context: ReconcileContext;
  readonly #desired: DesiredState;
  readonly #facts: Facts;
  readonly #found: FoundObjects;
  /** The scaler at the time when the first write needs it. */
  #scaling: { known: Scaling | undefined } | undefined;

  constructor(context: ReconcileContext, desired: DesiredState, facts: Facts, found: FoundObjects) {
    this.#context = context;
    this.#desired = desired;
    this.#facts = facts;
    this.#found = found;
  }

  async apply(write: OrderedWrite): Promise<Outcome> {
    const context = this.#context;
    const { target, primary, apex } = this.#found;
    switch (write.kind) {
      case 'services':
        return apex ? ensureServices(context, apex, { ...write, serving: this.#serving() }) : HELD;
      case 'prerequisites':
        return apex ? ensurePrepared(context, apex) : HELD;
      case 'companions':
        return apex ? ensureCompanions(context, apex.selector, { target, primary }) : HELD;
      case 'followers':
        return apex ? ensureFollowers(context, apex.selector, { target, primary }) : HELD;
      case 'canary':
        return target ? ensureCanary(context, target, this.#desired, this.#facts) : HELD;
      case 'primary':
        return target && apex ? ensurePrimary(context, target, primary, apex, this.#facts) : HELD;
      case 'keepMark':
        await context.anchors.keep(context.canary, write.isKept, context.signal);
        return HELD;
      case 'scalers':
        return ensureScalers(context, this.#scalers(), this.#desired);
      case 'raise':
        return raiseReplicas(context, this.#refOf(write.side), write.replicas, write.atLeast);
      case 'scale':
        return scale(context, this.#refOf(write.side), write.replicas);
      case 'resumeScaler':
        return resumeScaler(context, this.#scalers());
      case 'startTarget':
        return target ? this.#startTarget(target) : HELD;
      case 'routes':
        return apex ? ensureRoutes(context, apex, write.routes) : HELD;
      case 'pauseScaler':
        return pauseScaler(context, this.#scalers());
      case 'stopTarget':
        return scale(context, targetRefOf(context.canary), 0);
      default:
        return write satisfies never;
    }
  }

  #startTarget(target: ViewedObject): Promise<Outcome> {
    const context = this.#context;
    refuseUnusable(context, target);
    const replicas = replicasToRaise(context, target, this.#scalers(), this.#desired.targetStart);
    return scale(context, targetRefOf(context.canary), replicas);
  }

  #serving(): Record<SideName, boolean> {
    const { primary, target } = this.#facts;
    return { primary: primary?.serving === true, target: target?.serving === true };
  }

  #scalers(): Scaling | undefined {
    this.#scaling ??= { known: scalingOf(this.#context.canary, this.#context.view) };
    return this.#scaling.known;
  }

  #refOf(side: SideName): ObjectRef {
    return (side === 'primary' ? primaryRefOf : targetRefOf)(this.#context.canary);
  }
}
