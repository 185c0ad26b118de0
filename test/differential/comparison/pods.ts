import { type Entry, ofKind } from '../recording/recording.ts';

/** Two watches of one moment bring their news this far apart. */
const SKEW_MS = 1_000;
type Readiness = 'all' | 'some' | 'none';

/** Number of available pods of the new version at each step that needs them; consecutive steps of equal readiness are listed once. */
export function readinessAtSteps(entries: readonly Entry[]): string[] {
  const steps: string[] = [];
  let before = { phase: '', weight: 0, iterations: 0 };
  for (const now of ofKind(entries, 'status')) {
    if (now.phase === 'Progressing' && (now.weight > before.weight || now.iterations > before.iterations))
      steps.push(`step: ${readinessAt(entries, now.atMs)}`);
    if (now.phase === 'Promoting' && before.phase !== 'Promoting') steps.push(`promotion: ${readinessAt(entries, now.atMs)}`);
    before = now;
  }
  return steps.filter((step, index) => step !== steps[index - 1]);
}

/** The most that was available around a moment. */
function readinessAt(entries: readonly Entry[], atMs: number): Readiness {
  const pods = ofKind(entries, 'pods').filter(({ role }) => role === 'canary');
  const standing = pods.findLast((entry) => entry.atMs <= atMs - SKEW_MS);
  const around = pods.filter((entry) => Math.abs(entry.atMs - atMs) < SKEW_MS);
  const all = [...(standing ? [standing] : []), ...around].map(readinessOf);
  return all.includes('all') ? 'all' : all.includes('some') ? 'some' : 'none';
}

function readinessOf({ desired, available, isCurrent }: { desired: number; available: number; isCurrent: boolean }): Readiness {
  if (available === 0 || desired === 0) return 'none';
  return available >= desired && isCurrent ? 'all' : 'some';
}

/** The fewest pods of the primary from the moment at which the Canary was initialized: none, or some. */
export function leastPrimary(entries: readonly Entry[]): string {
  const sinceMs = ofKind(entries, 'status').find(({ phase }) => phase === 'Initialized')?.atMs ?? Number.POSITIVE_INFINITY;
  const after = ofKind(entries, 'pods').filter(({ role, atMs }) => role === 'primary' && atMs >= sinceMs);
  return after.some(({ available }) => available === 0) ? 'none' : 'some';
}

/** Services that had a ready endpoint once and then none, of those through which users come. */
export function emptiedServices(entries: readonly Entry[], services: readonly string[]): string[] {
  return services.filter((service) => {
    const ready = ofKind(entries, 'endpoints').filter((entry) => entry.service === service);
    const first = ready.findIndex((entry) => entry.ready > 0);
    return first >= 0 && ready.slice(first).some((entry) => entry.ready === 0);
  });
}

/** Pods of each side in the end, and the version of the primary. */
export function podsAtTheEnd(entries: readonly Entry[]): Record<string, unknown> {
  const pods = ofKind(entries, 'pods');
  const last = (role: string) => pods.findLast((entry) => entry.role === role);
  return {
    canary: (last('canary')?.desired ?? 0) > 0,
    primary: (last('primary')?.desired ?? 0) > 0,
    primaryImage: last('primary')?.template,
  };
}
