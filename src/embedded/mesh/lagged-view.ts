import type { KubeObject } from '../../api/kube-object.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { keptIn } from '../../base/once.ts';
import { keyOf, type ObjectChange } from '../controllers/object-store.ts';
import { type KnownServices, knownServices } from './known-services.ts';

/** The objects that one proxy knows: the same changes as the others, each after its own lag, in order within a kind. */
export interface LaggedView {
  hear(kind: string, change: ObjectChange): void;
  get(kind: string, key: string): KubeObject | undefined;
  list(kind: string): KubeObject[];
  /** The value that `make` computes from this view, cached until a change. Each key has one meaning. */
  once<T>(key: unknown, make: () => T): T;
  /** Tests if the proxy has a cluster for a Service (`namespace/name`) that it knows only by routes. */
  knowsService(service: string): boolean;
  /** Changes that are still on their way. */
  pending(): number;
  stop(): void;
}

interface ServicesByRoute {
  /** Services that an object names to the proxy; `undefined` if its kind names none. */
  servicesOf(kind: string, object: KubeObject): readonly string[] | undefined;
  /** Milliseconds by which a Service is known later than the route. */
  laterMs(): number;
}

/** `lagMs` gives the next lag in milliseconds; 0 applies at once. Without `byRoute` every Service is known. */
export function laggedView(lagMs: () => number, clock: Clock = systemClock, byRoute?: ServicesByRoute): LaggedView {
  const services: KnownServices | undefined = byRoute && knownServices(clock, byRoute.laterMs);
  const kinds = new Map<string, Map<string, KubeObject>>();
  const coming = new Map<string, { dueMs: number; change: ObjectChange }[]>();
  const timers = new Set<() => void>();
  const made = new Map<unknown, unknown>();
  const of = (kind: string): Map<string, KubeObject> => keptIn(kinds, kind, () => new Map());
  const apply = (kind: string, { previous, next }: ObjectChange): void => {
    const key = keyOf(next ?? previous ?? { metadata: { name: '' } });
    const known = of(kind).get(key);
    // One object comes over one stream for each version that its kind is served in: the slower ones bring old news.
    const isSame = known?.metadata.uid === (next ?? previous)?.metadata.uid;
    const isOld = isSame && Number(known?.metadata.resourceVersion) > Number(next?.metadata.resourceVersion);
    if (next && !isOld) of(kind).set(key, next);
    if (!next && isSame) of(kind).delete(key);
    made.clear();
    const object = next ?? previous;
    const named = object && byRoute?.servicesOf(kind, object);
    if (named && (next ? !isOld : isSame)) services?.name(`${kind} ${key}`, next ? named : []);
  };
  return {
    hear(kind, change) {
      const nowMs = clock.monotonicMs();
      const changes = keptIn(coming, kind, () => []);
      // Like one stream of a control plane: a later change never overtakes an earlier one of its kind.
      const dueMs = Math.max(nowMs + lagMs(), changes.at(-1)?.dueMs ?? 0);
      if (dueMs <= nowMs && changes.length === 0) {
        apply(kind, change);
        return;
      }
      changes.push({ dueMs, change });
      // Timers of a busy process fire late and out of order: each takes what is next, whichever it was set for.
      const cancel = clock.setTimer(dueMs - nowMs, () => {
        timers.delete(cancel);
        const first = changes.shift();
        if (first) apply(kind, first.change);
      });
      timers.add(cancel);
    },
    get: (kind, key) => of(kind).get(key),
    list: (kind) => [...of(kind).values()],
    once<T>(key: unknown, make: () => T): T {
      const known = made.get(key);
      if (known !== undefined || made.has(key)) return known as T;
      const value = make();
      made.set(key, value);
      return value;
    },
    knowsService: (service) => services?.knows(service) ?? true,
    pending: () => timers.size,
    stop() {
      for (const cancel of timers) cancel();
      timers.clear();
    },
  };
}
