/** The part of a ReplicaSet that the plan needs: desired replicas, and available ones by its status. */
export interface Sized {
  name: string;
  replicas: number;
  available: number;
}

export interface Rollout {
  replicas: number;
  maxSurge: number;
  maxUnavailable: number;
  fresh: Sized;
  /** Oldest first. */
  old: readonly Sized[];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** A count or percentage of replicas; surge rounds up, unavailability down. Source: Kubernetes Deployment API, rollingUpdate. */
export function resolveBound(value: number | string | undefined, replicas: number, round: 'up' | 'down'): number {
  const given = value ?? '25%';
  if (typeof given === 'number') return given;
  const exact = (Number.parseInt(given, 10) * replicas) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}

/** Both bounds at zero would never move: then one pod can be missing. */
export function bounds(rollingUpdate: { maxSurge?: number | string; maxUnavailable?: number | string } | undefined, replicas: number) {
  const maxSurge = resolveBound(rollingUpdate?.maxSurge, replicas, 'up');
  const maxUnavailable = resolveBound(rollingUpdate?.maxUnavailable, replicas, 'down');
  return { maxSurge, maxUnavailable: maxSurge === 0 && maxUnavailable === 0 ? 1 : Math.min(maxUnavailable, replicas) };
}

/** The sizes to write next, by ReplicaSet name; empty when the plan waits for pods or is done. */
export function nextSizes(rollout: Rollout): Map<string, number> {
  const grown = sizeOfFresh(rollout);
  if (grown !== rollout.fresh.replicas) return new Map([[rollout.fresh.name, grown]]);
  return sizesOfOld(rollout);
}

function sizeOfFresh({ replicas, maxSurge, fresh, old }: Rollout): number {
  if (fresh.replicas >= replicas) return replicas;
  const room = replicas + maxSurge - fresh.replicas - sum(old.map((set) => set.replicas));
  return fresh.replicas + Math.max(0, Math.min(room, replicas - fresh.replicas));
}

function sizesOfOld({ replicas, maxUnavailable, fresh, old }: Rollout): Map<string, number> {
  const sizes = new Map(old.map((set) => [set.name, set.replicas]));
  const wanted = fresh.replicas + sum([...sizes.values()]);
  const minAvailable = replicas - maxUnavailable;
  // Counted from the requested sizes, not from statuses, which lag: a size that was just lowered is not spent twice.
  let allowed = wanted - minAvailable - Math.max(0, fresh.replicas - fresh.available);
  const take = (name: string, count: number): void => {
    const taken = Math.max(0, Math.min(count, allowed, sizes.get(name) ?? 0));
    sizes.set(name, (sizes.get(name) ?? 0) - taken);
    allowed -= taken;
  };
  // Unavailable pods are deleted first.
  for (const set of old) take(set.name, set.replicas - set.available);
  const serving = (set: Sized): number => Math.min(set.available, sizes.get(set.name) ?? set.replicas);
  let spare = sum([fresh, ...old].map(serving)) - minAvailable;
  for (const set of old) {
    const before = sizes.get(set.name) ?? 0;
    take(set.name, spare);
    spare -= before - (sizes.get(set.name) ?? 0);
  }
  return new Map([...sizes].filter(([name, size]) => old.find((set) => set.name === name)?.replicas !== size));
}

/** Shares a change of `replicas` in the middle of a rollout over all sets in proportion, the rest to the largest. */
export function proportionalSizes(sets: readonly Sized[], total: number): Map<string, number> {
  const present = sum(sets.map((set) => set.replicas));
  const bySize = sets.toSorted((a, b) => b.replicas - a.replicas);
  const sizes = new Map(bySize.map((set) => [set.name, Math.floor((set.replicas * total) / present)]));
  let rest = total - sum([...sizes.values()]);
  for (const set of bySize) {
    if (rest <= 0) break;
    sizes.set(set.name, (sizes.get(set.name) ?? 0) + 1);
    rest -= 1;
  }
  return sizes;
}
