import type { Canary } from '../../api/canary.ts';
import { refKey, refOf } from '../../api/kube-object.ts';
import { ACCEPTED, acceptedLossAnnotation, lossText } from '../../arrival/arrival.ts';
import type { ArrivalPlan, Loss } from '../../arrival/plan.ts';
import { planFor } from '../../arrival/plan-for.ts';
import { say } from '../../engine/reasons.ts';
import { BackOff } from '../../kube/back-off.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { readApplication } from '../facts/application.ts';
import type { Admitted, CanaryRejection } from './admission.ts';

type ArrivalDeps = Pick<ControllerDeps, 'cluster' | 'view' | 'config' | 'clock' | 'announce'>;

/** Between two looks while a Canary is refused: many of the objects are not watched. */
const AGAIN_MS = { from: 15_000, to: 300_000 };
/** Whatever wakes it. */
const SOONEST_MS = 5_000;
/** Losses that are announced for one arrival. */
const MOST_ANNOUNCED = 10;

/** Looks, before the first write of a Canary, at everything that knows its application (I17). */
export class ArrivalGate {
  readonly #deps: ArrivalDeps;
  readonly #pause = new BackOff(AGAIN_MS);
  /** The last refusal, and when it may be looked at again: what wakes a Canary in between must not cost a list of each kind. */
  #refused: { key: string; rejection: CanaryRejection; againMs: number } | undefined;
  /** The Canary's spec and the target that were found to lose nothing that refuses them: read once. */
  #passed: string | undefined;

  constructor(deps: ArrivalDeps) {
    this.#deps = deps;
  }

  async refusalOf(admitted: Admitted, signal: AbortSignal): Promise<CanaryRejection | undefined> {
    const { canary, workload } = admitted;
    const { view, clock } = this.#deps;
    if (!workload.hasPods || canary.spec.suspend === true || !isArriving(canary)) return undefined;
    await Promise.all(workload.watches(canary).map((ref) => view.ready(ref)));
    const target = view.find(workload.targetRef(canary))?.object;
    if (target === undefined || view.find(workload.primaryRef(canary)) !== undefined) return undefined;
    const key = [canary.metadata.uid, canary.metadata.generation, target.metadata.uid, target.metadata.generation].join(' ');
    if (this.#passed === key) return undefined;
    const nowMs = clock.monotonicMs();
    if (this.#refused?.key === key && nowMs < this.#refused.againMs)
      return { ...this.#refused.rejection, retryInMs: this.#refused.againMs - nowMs };
    const plan = await this.#plan(admitted, signal);
    if (plan === undefined) return undefined;
    const [first, ...more] = plan.losses.filter(({ isRefused }) => isRefused);
    if (first !== undefined) {
      const rejection = refusal(first, more, this.#pause.next());
      this.#refused = { key, rejection, againMs: nowMs + SOONEST_MS };
      return rejection;
    }
    this.#passed = key;
    this.#pause.reset();
    this.#announce(canary, plan);
    return undefined;
  }

  async #plan({ canary, workload, provider }: Admitted, signal: AbortSignal): Promise<ArrivalPlan | undefined> {
    const { cluster, view, config } = this.#deps;
    const { objects, unread } = await readApplication(canary.metadata.namespace, { cluster, view, config, signal });
    const target = objects.find((one) => refKey(refOf(one)) === refKey(workload.targetRef(canary)));
    if (target === undefined) return undefined;
    const { selectorLabels, companions, arrival: mode } = config;
    const plan = planFor(canary, { target, objects, unread }, { selectorLabels, companions, provider, mode, isServing: false });
    // Without a label to tell its pods apart it is refused elsewhere.
    return plan === undefined || 'problem' in plan ? undefined : plan;
  }

  #announce(canary: Canary, { losses }: ArrivalPlan): void {
    for (const loss of losses.slice(0, MOST_ANNOUNCED)) this.#deps.announce(canary, say('WouldBeLost', lossText(loss), { warning: true }));
  }
}

function isArriving({ status }: Canary): boolean {
  const phase = status?.phase || 'Initializing';
  return phase === 'Initializing';
}

function refusal(loss: Loss, others: readonly Loss[], retryInMs: number): CanaryRejection {
  const waiver = `or accept it with the annotation ${acceptedLossAnnotation}: ${ACCEPTED} on that object`;
  const more = others.length === 0 ? '' : ` (and ${others.length} more: run "serin preflight")`;
  return {
    reason: loss.code === 'WouldBeLost' ? 'PolicyWouldBeLost' : loss.code,
    message: `${lossText(loss)}; ${waiver}${more}`,
    retryInMs,
  };
}
