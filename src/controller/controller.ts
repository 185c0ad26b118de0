import { CanaryDispatcher } from './canary-dispatcher.ts';
import type { ControllerOptions } from './controller-options.ts';
import { makeDeps } from './make-deps.ts';
import { CanaryRegister } from './watch/canary-register.ts';
import { CanarySlice } from './watch/canary-slice.ts';

export interface Controller {
  /** The kinds that every Canary needs are listed, and the Canaries' processes run. */
  readonly started: Promise<void>;
  /** Kinds whose first LIST is under way. */
  loading(): readonly string[];
  /** Watches that have been silent for too long. */
  staleWatches(limitMs: number): { kind: string; ageMs: number }[];
  /** Cancels everything under way; nothing writes after it resolves. */
  stop(): Promise<void>;
}

/** Runs every Canary: watches wake them, each in a process of its own. */
export function startController(options: ControllerOptions): Controller {
  const { config, metrics } = options;
  const stopping = new AbortController();
  const register = new CanaryRegister();
  const listener = {
    changed: (...args) => dispatcher.changed(...args),
    wake: (...args) => dispatcher.wake(...args),
    delivered: (...args) => dispatcher.delivered(...args),
    track: (...args) => dispatcher.track(...args),
    wants: (...args) => dispatcher.wants(...args),
  } satisfies Parameters<typeof makeDeps>[2];
  const { deps, conditions, calls } = makeDeps(options, register, listener, stopping.signal);
  const slice = new CanarySlice(config.canarySelector, options.shard);
  const dispatcher = new CanaryDispatcher({ deps, register, slice, conditions, metrics, signal: stopping.signal });
  const { view, configWatches, podWatches, deliveries } = deps;
  const ownWatches = () => [...configWatches.watches(), ...podWatches.watches()];
  const watches = () => [...view.watches(), ...ownWatches()];
  const start = async (): Promise<void> => {
    const own = options.shared ? { watches: ownWatches, calls: () => [] } : { watches, calls: () => calls.figures() };
    metrics.leads({ ...own, deliveries: () => deliveries.depth });
    await view.start();
    metrics.started(config.meshProvider);
    await Promise.all([dispatcher.start(), view.listed()]);
  };
  return {
    started: start(),
    loading: () => view.loading(),
    staleWatches: (limitMs) => watches().filter(({ ageMs }) => ageMs > limitMs),
    async stop() {
      stopping.abort(new Error('stopping'));
      metrics.stopped();
      deliveries.stop();
      conditions.stop();
      const stopped = dispatcher.stop();
      // The view stops first: a Canary process can wait for a first LIST, which an API server that is gone never answers.
      view.stop();
      await stopped;
      configWatches.stop();
      podWatches.stop();
      // A successor begins when the lease is released: what was sent must not come after that.
      if (options.mayWrite) await options.cluster.settled();
    },
  };
}
