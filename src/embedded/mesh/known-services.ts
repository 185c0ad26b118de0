import type { Clock } from '../../base/clock.ts';
import { keptIn } from '../../base/once.ts';

/** Services that a proxy knows because routes name them. */
export interface KnownServices {
  /** An object names these now. */
  name(object: string, services: readonly string[]): void;
  knows(service: string): boolean;
}

/**
 * Services known as in Contour, whose Envoy gets routes and clusters on separate streams: a Service is known `laterMs` after the first route that names it, and
 * no more when none does. Seen on both of its APIs (`npm run test:planes`).
 */
export function knownServices(clock: Clock, laterMs: () => number): KnownServices {
  const named = new Map<string, ReadonlySet<string>>();
  const known = new Map<string, { objects: Set<string>; fromMs: number }>();
  return {
    name(object, services) {
      const next = new Set(services);
      for (const service of next)
        keptIn(known, service, () => ({ objects: new Set(), fromMs: clock.monotonicMs() + laterMs() })).objects.add(object);
      for (const service of named.get(object) ?? []) {
        const entry = next.has(service) ? undefined : known.get(service);
        entry?.objects.delete(object);
        if (entry?.objects.size === 0) known.delete(service);
      }
      if (next.size > 0) named.set(object, next);
      else named.delete(object);
    },
    knows(service) {
      const entry = known.get(service);
      return entry !== undefined && clock.monotonicMs() >= entry.fromMs;
    },
  };
}
