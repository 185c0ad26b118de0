import type { KubeObject } from '../api/kube-object.ts';
import { serviceTrafficFields } from '../api/service-traffic.ts';
import { ApiError } from '../kube/errors.ts';

/** Of what was refused, once something else brings a pass about: a cluster that learns to take it is not heard of. */
const TRY_AGAIN_MS = 300_000;

interface Refusal {
  /** What was asked for, as text. */
  asked: string;
  untilMs: number;
  message: string;
}
type Spec = Record<string, unknown>;

/**
 * How the Canary wants the traffic of its Services steered, where the API server takes no such value (07 S1): the Services go on without it,
 * keeping what they have, since a preference must not hold up a release. Kept in memory only.
 */
export class RefusedSteering {
  readonly #refusals = new Map<string, Refusal>();

  /** Writes the Service by `attempt`, without the refused fields if need be. Tells whether a refusal is new. */
  async write(
    service: KubeObject,
    live: KubeObject | undefined,
    nowMs: number,
    attempt: (worded: KubeObject) => Promise<void>,
  ): Promise<boolean> {
    const { name } = service.metadata;
    const known = this.#refusals.get(name);
    const asked = steeringIn(service);
    const isDue = known?.asked !== asked || nowMs >= known.untilMs;
    if (isDue) {
      try {
        await attempt(service);
        this.#refusals.delete(name);
        return known !== undefined;
      } catch (error) {
        const message = refusalOf(error, service);
        if (message === undefined) throw error;
        this.#refusals.set(name, { asked, untilMs: nowMs + TRY_AGAIN_MS, message });
      }
    }
    await attempt(asTheyAre(service, live));
    return isDue && known?.asked !== asked;
  }

  /** For the condition; undefined when all is as it was asked for. */
  get message(): string | undefined {
    return this.#refusals.values().next().value?.message;
  }
}

function steeringIn({ spec }: KubeObject): string {
  return JSON.stringify(serviceTrafficFields.map((field) => spec[field] ?? null));
}

function refusalOf(error: unknown, { metadata, spec }: KubeObject): string | undefined {
  // A field that an older server does not know makes an apply fail with 500.
  if (!(error instanceof ApiError) || (error.status !== 422 && error.status !== 500)) return undefined;
  const field = serviceTrafficFields.find((each) => spec[each] !== undefined && error.message.includes(`spec.${each}`));
  if (field === undefined) return undefined;
  return `spec.service.${field}: the cluster does not take ${JSON.stringify(spec[field])}, so Service ${metadata.name} goes on as it is: correct it, or remove it (${error.message})`;
}

function asTheyAre(service: KubeObject, live: KubeObject | undefined): KubeObject {
  const spec: Spec = { ...service.spec };
  for (const field of serviceTrafficFields) {
    delete spec[field];
    const standing: unknown = live?.spec?.[field];
    if (service.spec[field] !== undefined && standing !== undefined) spec[field] = standing;
  }
  return { ...service, spec };
}
