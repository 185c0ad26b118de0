import type { Canary } from '../../api/canary.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import type { Clock } from '../../base/clock.ts';
import { INTRODUCED_FOR_MS } from '../../routers/introduction.ts';
import { type FoundPort, portKey, portsNamedIn } from '../../routers/ports.ts';
import type { Router } from '../../routers/router.ts';
import { appliedPorts } from '../adoption/apex-original.ts';
import type { DepsOf } from '../controller-deps.ts';
import { HELD, type Outcome } from './outcome.ts';

type LeftPortsContext = DepsOf<'view' | 'anchors'> & { canary: Canary; router: Router };

/**
 * Ports that an edit of the Canary leaves out. They stay in its Services while its routes lead to them, and until proxies know the next ones: Services and
 * routes are written one after another, and requests between two writes would be lost (I17).
 */
export class LeftPorts {
  readonly #clock: Clock;
  /** The time when each can go, by the monotonic clock: never, while routes lead to it. */
  readonly #untilMs = new Map<number, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tests if routes lead to the port now, or did lately. */
  isLedTo({ canary, router, view }: LeftPortsContext, { name = '', port }: FoundPort): boolean {
    const nowMs = this.#clock.monotonicMs();
    const routes = router.watches(canary).flatMap((ref) => view.find(ref)?.object ?? []);
    const named = portsNamedIn(routes);
    if (named.has(port) || named.has(name)) this.#untilMs.set(port, Number.POSITIVE_INFINITY);
    else if (this.#untilMs.get(port) === Number.POSITIVE_INFINITY) this.#untilMs.set(port, nowMs + INTRODUCED_FOR_MS);
    return (this.#untilMs.get(port) ?? 0) > nowMs;
  }

  /** Held, until the first of them can go. */
  outcome(): Outcome {
    const nowMs = this.#clock.monotonicMs();
    const untilMs = Math.min(...[...this.#untilMs.values()].filter((ms) => ms > nowMs));
    return Number.isFinite(untilMs) ? { ...HELD, retryInMs: untilMs - nowMs } : HELD;
  }
}

/** Keys of the ports of a Service of the user's that only Serin has written, and that it did not have before. Empty where its own ports are unknown. */
export async function addedPorts({ canary, view, anchors, signal }: LeftPortsContext, apex: KubeObject): Promise<ReadonlySet<string>> {
  const own = view.find(refOf(apex))?.ownPorts ?? [];
  if (own.length === 0) return new Set();
  const original = await anchors.originalApex(canary, signal);
  const before = new Set([...(original?.ports ?? []), ...appliedPorts(apex)].map(portKey));
  return new Set(before.size === 0 ? [] : own.filter((key) => !before.has(key)));
}
