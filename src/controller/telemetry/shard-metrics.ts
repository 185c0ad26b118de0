import type { SharedParts } from '../controller-options.ts';
import type { ControllerMetrics } from './controller-metrics.ts';
import type { Inspected } from './process-metrics.ts';

/** The metrics of a process whose controllers have a shard each: when one ends, the series of the others stay. */
export class ShardMetrics {
  readonly #metrics: ControllerMetrics;
  readonly #shared: SharedParts;
  readonly #running = new Map<number, Inspected>();

  constructor(metrics: ControllerMetrics, shared: SharedParts) {
    this.#metrics = metrics;
    this.#shared = shared;
  }

  of(shard: number): ControllerMetrics {
    const metrics = this.#metrics;
    const seen = new Map<string, { namespace: string; name: string }>();
    const counts = new Map<string, number>();
    let hasStopped = false;
    return {
      ...metrics,
      seen: (canary, nowMs) => {
        if (hasStopped) return;
        const { namespace, name } = canary.metadata;
        seen.set(`${namespace}/${name}`, { namespace, name });
        metrics.seen(canary, nowMs);
      },
      gone: (key) => {
        if (!seen.delete(`${key.namespace}/${key.name}`)) return;
        metrics.gone(key);
      },
      counted: (namespace, change) => {
        if (hasStopped) return;
        counts.set(namespace, (counts.get(namespace) ?? 0) + change);
        metrics.counted(namespace, change);
      },
      leads: (inspected) => {
        this.#running.set(shard, inspected);
        this.#show();
      },
      stopped: () => {
        hasStopped = true;
        for (const key of seen.values()) metrics.gone(key);
        seen.clear();
        for (const [namespace, count] of counts) for (let each = 0; each < count; each += 1) metrics.counted(namespace, -1);
        this.#running.delete(shard);
        if (this.#running.size > 0) this.#show();
        else metrics.stopped();
      },
    };
  }

  #show(): void {
    const all = [...this.#running.values()];
    const together: Inspected = {
      watches: () => [...this.#shared.kinds.watches(), ...all.flatMap((one) => one.watches())],
      deliveries: () => all.reduce((sum, one) => sum + one.deliveries(), 0),
      calls: () => this.#shared.calls.figures(),
    };
    this.#metrics.leads(together, [...this.#running.keys()]);
  }
}
