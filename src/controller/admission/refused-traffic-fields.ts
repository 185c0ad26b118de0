import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { asServiceFields, type ServiceTraffic, serviceFieldNames, serviceTrafficFields } from '../../api/service-traffic.ts';
import type { JsonRecord } from '../../base/json.ts';
import { ApiError } from '../../kube/errors.ts';

/** Pause before a refused field is tried again, at the next reconcile: an upgrade of the cluster causes no watch event. */
const TRY_AGAIN_MS = 300_000;

interface TrafficFieldRejection {
  /** The requested fields, as text. */
  asked: string;
  untilMs: number;
  message: string;
}

/**
 * Traffic fields of `spec.service` that the API server refuses: the Services go on without them,
 * keeping their live values, since a preference must not block a release. Kept in memory only.
 */
export class RefusedTrafficFields {
  readonly #refusals = new Map<string, TrafficFieldRejection>();
  /** For the copies of a Service target: the requested fields as text, and a message for each refused field. */
  #ofCopies = { asked: '', messages: new Map<keyof ServiceTraffic, string>() };

  /** Writes the Service by `attempt`, without the refused fields if need be. Returns whether a refusal is new. */
  async write(
    service: KubeObject,
    live: KubeObject | undefined,
    nowMs: number,
    attempt: (service: KubeObject) => Promise<void>,
  ): Promise<boolean> {
    const { name } = service.metadata;
    const known = this.#refusals.get(name);
    const spec = specOf<JsonRecord>(service);
    const asked = trafficFieldsIn(spec);
    const isDue = known?.asked !== asked || nowMs >= known.untilMs;
    if (isDue) {
      try {
        await attempt(service);
        this.#refusals.delete(name);
        return known !== undefined;
      } catch (error) {
        const refusal = refusalOf(error, spec, `Service ${name} stays unchanged`);
        if (refusal === undefined) throw error;
        this.#refusals.set(name, { asked, untilMs: nowMs + TRY_AGAIN_MS, message: refusal.message });
      }
    }
    await attempt(asTheyAre(service, live));
    return isDue && known?.asked !== asked;
  }

  /**
   * True if the cluster has refused a traffic field of the copies of a Service target. From then on `withoutRefused` leaves the field out, until the Canary
   * requests another value.
   */
  isRefusedForCopies(error: unknown, canary: Canary): boolean {
    const { service } = canary.spec;
    const withoutRefused = this.withoutRefused(canary);
    const refusal = refusalOf(error, asServiceFields(withoutRefused.spec.service), 'the copies of the Service go without it');
    if (refusal === undefined) return false;
    if (withoutRefused === canary) this.#ofCopies = { asked: trafficFieldsIn(asServiceFields(service)), messages: new Map() };
    this.#ofCopies.messages.set(refusal.field, refusal.message);
    return true;
  }

  /** The Canary without the refused fields: copies are made, promoted and compared so. */
  withoutRefused(canary: Canary): Canary {
    const { asked, messages } = this.#ofCopies;
    if (messages.size === 0 || asked !== trafficFieldsIn(asServiceFields(canary.spec.service))) return canary;
    const service = { ...canary.spec.service };
    for (const field of messages.keys()) delete service[field];
    return { ...canary, spec: { ...canary.spec, service } };
  }

  get areAccepted(): boolean {
    return this.#refusals.size === 0 && this.#ofCopies.messages.size === 0;
  }

  /** For the condition, `undefined` if no field is refused. */
  messageFor(canary: Canary): string | undefined {
    if (this.withoutRefused(canary) !== canary) return [...this.#ofCopies.messages.values()].join('; ');
    return this.#refusals.values().next().value?.message;
  }
}

/** `spec`: of a Service. */
function trafficFieldsIn(spec: JsonRecord): string {
  return JSON.stringify(Object.values(serviceFieldNames).map((field) => spec[field] ?? null));
}

function refusalOf(error: unknown, spec: JsonRecord, instead: string): { field: keyof ServiceTraffic; message: string } | undefined {
  // A field that an older server does not know makes an apply fail with 500.
  if (!(error instanceof ApiError) || (error.status !== 422 && error.status !== 500)) return undefined;
  const isNamed = (name: string) => spec[name] !== undefined && error.message.includes(`spec.${name}`);
  const field = serviceTrafficFields.find((each) => isNamed(serviceFieldNames[each]));
  if (field === undefined) return undefined;
  const message = `spec.service.${field}: the cluster does not take ${JSON.stringify(spec[serviceFieldNames[field]])}, so ${instead}: correct it, or remove it (${error.message})`;
  return { field, message };
}

function asTheyAre(service: KubeObject, live: KubeObject | undefined): KubeObject {
  const [wanted, found] = [specOf<JsonRecord>(service), specOf<JsonRecord>(live)];
  const spec = { ...wanted };
  for (const field of Object.values(serviceFieldNames)) {
    delete spec[field];
    if (wanted[field] !== undefined && found[field] !== undefined) spec[field] = found[field];
  }
  return { ...service, spec };
}
