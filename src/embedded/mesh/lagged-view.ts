import type { KubeObject } from '../../api/kube-object.ts';
import { type Change, keyOf } from '../controllers/object-store.ts';

/** What one proxy knows: the same changes as everybody, each after a lag of its own, in order within a kind. */
export interface LaggedView {
  hear(kind: string, change: Change): void;
  get(kind: string, key: string): KubeObject | undefined;
  list(kind: string): KubeObject[];
  /** Changes that are still on their way. */
  pending(): number;
  stop(): void;
}

/** `lagMs` gives the next lag in milliseconds; 0 applies at once. */
export function laggedView(lagMs: () => number): LaggedView {
  const kinds = new Map<string, Map<string, KubeObject>>();
  const busyUntilMs = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  const of = (kind: string): Map<string, KubeObject> => {
    const objects = kinds.get(kind) ?? new Map<string, KubeObject>();
    kinds.set(kind, objects);
    return objects;
  };
  const apply = (kind: string, { previous, next }: Change): void => {
    const known = next && of(kind).get(keyOf(next));
    // One object comes over one stream for each version that its kind is served in: the slower ones bring old news.
    const isOld =
      known?.metadata.uid === next?.metadata.uid && Number(known?.metadata.resourceVersion) > Number(next?.metadata.resourceVersion);
    if (next && isOld) return;
    if (next) of(kind).set(keyOf(next), next);
    else if (previous) of(kind).delete(keyOf(previous));
  };
  return {
    hear(kind, change) {
      const nowMs = performance.now();
      // As on one stream of a control plane: a later change never overtakes an earlier one of its kind.
      const dueMs = Math.max(nowMs + lagMs(), busyUntilMs.get(kind) ?? 0);
      busyUntilMs.set(kind, dueMs);
      if (dueMs <= nowMs) {
        apply(kind, change);
        return;
      }
      const timer = setTimeout(() => {
        timers.delete(timer);
        apply(kind, change);
      }, dueMs - nowMs);
      timers.add(timer);
    },
    get: (kind, key) => of(kind).get(key),
    list: (kind) => [...of(kind).values()],
    pending: () => timers.size,
    stop() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
