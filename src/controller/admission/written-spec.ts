import { isDeepStrictEqual } from 'node:util';
import type { NewBlocker } from '../../api/blocker.ts';
import type { Canary, CanarySpec } from '../../api/canary.ts';
import type { JsonRecord } from '../../base/json.ts';
import { isRefusal } from '../../kube/errors.ts';
import { RoutingError } from '../../routers/index.ts';
import type { ControllerDeps } from '../controller-deps.ts';
import { withSpec } from '../watch/read-canary.ts';
import { admitSpec } from './admission.ts';
import { refusalBy, unroutableBy } from './blocker-of.ts';

/** A refusal is tried again after this long: a change that lets it pass (of a policy or CRD) may cause no watch event. */
const TRY_AGAIN_MS = 15_000;

interface RouteRejection {
  generation: number | undefined;
  untilMs: number;
  blocker: NewBlocker;
}

interface RouteWrite {
  nowMs: number;
  config: ControllerDeps['config'];
  /** Writes the routes of this Canary. */
  attempt(canary: Canary): Promise<void>;
  /** Reads the stored specs that the Canary was run by, the newest first. */
  stored(): Promise<readonly JsonRecord[]>;
}

/**
 * The spec that the routes in the cluster are of, as far as this process has written them. While those of a newer spec are refused, the routes of a
 * release are rendered from one before it, so that a rollback is not blocked.
 */
export class WrittenSpec {
  /** The spec that this process has run the Canary by last. */
  ran: CanarySpec | undefined;
  #written: CanarySpec | undefined;
  #refusal: RouteRejection | undefined;

  get spec(): CanarySpec | undefined {
    return this.#written;
  }

  /** The stored specs that the Canary was run by; where none are stored yet, the one of this process. */
  accepted(stored: readonly JsonRecord[]): readonly JsonRecord[] {
    return stored.length === 0 && this.ran ? [this.ran] : stored;
  }

  /** Writes the routes of the Canary, or those of a spec before it, and returns why then. Throws the error where none of these can be written. */
  async write(canary: Canary, { nowMs, config, attempt, stored }: RouteWrite): Promise<RouteRejection | undefined> {
    const { generation } = canary.metadata;
    const known = this.#refusal?.generation === generation && nowMs < this.#refusal.untilMs ? this.#refusal : undefined;
    let refusal = known;
    let refused: unknown;
    if (refusal === undefined) {
      try {
        await attempt(canary);
        this.#written = canary.spec;
        this.#refusal = undefined;
        return undefined;
      } catch (error) {
        const blocker = refusalIn(error, canary.metadata.namespace);
        if (blocker === undefined) throw error;
        refused = error;
        refusal = { generation, untilMs: nowMs + TRY_AGAIN_MS, blocker };
      }
    }
    for (const { service } of routedBefore(canary, this.accepted(await stored()), config)) {
      try {
        await attempt({ ...canary, spec: { ...canary.spec, service } });
        this.#refusal = refusal;
        return refusal;
      } catch (error) {
        if (refusalIn(error, canary.metadata.namespace) === undefined) throw error;
        refused ??= error;
      }
    }
    this.#refusal = undefined;
    if (refused !== undefined) throw refused;
    return undefined;
  }
}

/** Specs of the same route that say other things of it. They come from an object of the Canary's namespace, and are admitted again. */
function routedBefore(canary: Canary, specs: readonly JsonRecord[], config: ControllerDeps['config']): CanarySpec[] {
  return specs.flatMap((spec) => {
    const admitted = admitSpec(withSpec(canary, spec), { config });
    if ('reason' in admitted) return [];
    const before = admitted.canary.spec;
    return isSameRoute(before, canary.spec) && !isDeepStrictEqual(before.service, canary.spec.service) ? [before] : [];
  });
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
