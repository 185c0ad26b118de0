import type { NewBlocker } from '../../api/blocker.ts';
import type { Canary, CanarySpec } from '../../api/canary.ts';
import { isRefusal } from '../../kube/errors.ts';
import { RoutingError } from '../../routers/index.ts';
import { refusalBy, unroutableBy } from './blocker-of.ts';

/** Time after which a refused spec is tried again: the change that admits it (of a policy or CRD) does not always cause a watch event. */
const TRY_AGAIN_MS = 15_000;

interface RouteRejection {
  generation: number | undefined;
  untilMs: number;
  blocker: NewBlocker;
}

/**
 * The last spec whose routes were accepted, so that a later, unroutable spec does not block a rollback: while routes of the new spec are refused, those of a
 * release are rendered from the old one (04-6.2). Kept only in memory.
 */
export class AcceptedSpec {
  #accepted: { spec: CanarySpec; generation: number | undefined } | undefined;
  #refusal: RouteRejection | undefined;

  /**
   * Writes the routes of the Canary by `attempt`, or those of its last accepted spec, and returns why then. Throws the error where no
   * other spec was accepted before.
   */
  async write(canary: Canary, nowMs: number, attempt: (canary: Canary) => Promise<void>): Promise<RouteRejection | undefined> {
    const { generation } = canary.metadata;
    const known = this.#refusal;
    if (known?.generation !== generation || nowMs >= (known?.untilMs ?? 0)) {
      try {
        await attempt(canary);
        this.#accepted = { spec: canary.spec, generation };
        this.#refusal = undefined;
        return undefined;
      } catch (error) {
        const blocker = refusalIn(error, canary.metadata.namespace);
        if (
          blocker === undefined ||
          !this.#accepted ||
          this.#accepted.generation === generation ||
          !isSameRoute(this.#accepted.spec, canary.spec)
        )
          throw error;
        this.#refusal = { generation, untilMs: nowMs + TRY_AGAIN_MS, blocker };
      }
    }
    if (this.#accepted) await attempt({ ...canary, spec: { ...canary.spec, service: this.#accepted.spec.service } });
    return this.#refusal;
  }
}

/** The object's content is refused, by a schema, a policy or ourselves; not the requester, nor the time. */
function refusalIn(error: unknown, namespace: string): NewBlocker | undefined {
  if (error instanceof RoutingError) return unroutableBy(error);
  return isRefusal(error) ? refusalBy(error, namespace) : undefined;
}

/** Another name, or another provider, is another object. */
function isSameRoute(one: CanarySpec, other: CanarySpec): boolean {
  return one.service.name === other.service.name && one.targetRef.name === other.targetRef.name && one.provider === other.provider;
}
