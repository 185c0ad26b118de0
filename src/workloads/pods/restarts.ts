import type { Labels } from '../../api/kube-object.ts';

/** Annotations by which tools restart pods, with the time as their value: kubectl (and Argo CD, Lens, k9s), and Rancher. */
const RESTARTS = ['kubectl.kubernetes.io/restartedAt', 'cattle.io/timestamp'];

/** Annotations to compare pod templates by, restarts aside: those of `held` are left out of both, where `wanted` has no later one. */
export function withoutRestarts(held: Labels, wanted: Labels): { held: Labels; wanted: Labels } {
  const settled = RESTARTS.filter((key) => !isLater(wanted[key], held[key]));
  const keep = (pairs: Labels) => Object.fromEntries(Object.entries(pairs).filter(([key]) => !settled.includes(key)));
  return { held: keep(held), wanted: keep(wanted) };
}

/** A time that cannot be read may be a later one. */
function isLater(wanted: string | undefined, held: string | undefined): boolean {
  if (wanted === undefined) return false;
  return held === undefined || !(Date.parse(wanted) <= Date.parse(held));
}
