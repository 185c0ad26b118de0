import type { Canary } from '../../api/canary.ts';
import { ACCEPTED, acceptedLossAnnotation, lossText } from '../../arrival/arrival.ts';
import type { Loss } from '../../arrival/plan.ts';
import { BackOff } from '../../kube/back-off.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import type { Admitted, CanaryRejection } from './admission.ts';
import { arrivalPlan } from './arrival-plan.ts';
import type { ArrivalWarnings } from './arrival-warnings.ts';

type ArrivalDeps = Pick<ControllerDeps, 'applications' | 'view' | 'config' | 'clock'>;

/** Between two looks while a Canary is refused: many of the objects are not watched. */
const AGAIN_MS = { from: 15_000, to: 300_000 };
/** For every cause of a wake-up. */
const SOONEST_MS = 5_000;

/** Looks, before the first write of a Canary, at everything that knows its application (I17). */
export class ArrivalGate {
  readonly #deps: ArrivalDeps;
  readonly #warnings: ArrivalWarnings;
  readonly #pause = new BackOff(AGAIN_MS);
  /** The last refusal, and the time of the next look: a wake-up in between must not cost a list of each kind. */
  #refused: { key: string; rejection: CanaryRejection; againMs: number } | undefined;
  /** The Canary's spec and the target that were found to lose nothing that refuses them: read once. */
  #passed: string | undefined;

  constructor(deps: ArrivalDeps, warnings: ArrivalWarnings) {
    this.#deps = deps;
    this.#warnings = warnings;
  }

  async refusalOf(admitted: Admitted, signal: AbortSignal): Promise<CanaryRejection | undefined> {
    const { canary, provider, workload } = admitted;
    const { view, clock, config } = this.#deps;
    if (!workload.hasPods || canary.spec.suspend === true || !isArriving(canary)) return undefined;
    await Promise.all(workload.watches(canary).map((ref) => view.ready(ref)));
    const target = view.find(workload.targetRef(canary))?.object;
    if (target === undefined || view.find(workload.primaryRef(canary)) !== undefined) return undefined;
    const key = [canary.metadata.uid, canary.metadata.generation, target.metadata.uid, target.metadata.generation].join(' ');
    if (this.#passed === key) return undefined;
    const selectors = workload.selectors({ target }, config.selectorLabels);
    // No label tells its pods apart from those of a primary. An edit of the target is seen at once.
    if ('problem' in selectors)
      return { reason: 'TargetUnusable', message: selectors.problem, object: workload.targetRef(canary), field: selectors.field };
    const nowMs = clock.monotonicMs();
    if (this.#refused?.key === key && nowMs < this.#refused.againMs)
      return { ...this.#refused.rejection, retryInMs: this.#refused.againMs - nowMs };
    const plan = await arrivalPlan(canary, provider, { ...this.#deps, signal }, false);
    if (plan === undefined) return undefined;
    const [first, ...more] = plan.losses.filter(({ isRefused }) => isRefused);
    if (first !== undefined) {
      const rejection = lossRejection(first, more, canary.metadata.namespace, this.#pause.next());
      this.#refused = { key, rejection, againMs: nowMs + SOONEST_MS };
      return rejection;
    }
    this.#passed = key;
    this.#pause.reset();
    this.#warnings.atArrival(canary, plan.losses);
    return undefined;
  }
}

function isArriving({ status }: Canary): boolean {
  const phase = status?.phase || 'Initializing';
  return phase === 'Initializing';
}

/** The first of them, with its remedy and the number of others. */
export function lossRejection(loss: Loss, others: readonly Loss[], home: string, retryInMs: number): CanaryRejection {
  const waiver = loss.isFirm ? '' : `; or accept it with the annotation ${acceptedLossAnnotation}: ${ACCEPTED} on that object`;
  const more = others.length === 0 ? '' : ` (and ${others.length} more: run "serin preflight")`;
  return {
    reason: loss.code === 'WouldBeLost' ? 'PolicyWouldBeLost' : loss.code,
    message: `${lossText(loss, home)}${waiver}${more}`,
    object: loss.object,
    ...(loss.field !== undefined && { field: loss.field }),
    retryInMs,
  };
}
