import { expect, it } from 'vitest';
import { playContest } from '../suite/adversity/contest.ts';

/** The brake: at once, then after 1, 2, 4 and 8 s; the fifth pause is longer than what is left. */
const CORRECTIONS_IN_20_S = 6;
/** A raise and a return of replicas; three weights and the way home; nothing of the selector. */
const OWN_STEPS = { Deployment: 2, VirtualService: 5, Service: 0 };

it('a self-healer that reverts within 1 s cannot make Serin fight: the release ends, with at most 20 writes an object', async () => {
  const { verdict, primaryVersion, bySerin, byHealer, healerErrors, contested } = await playContest({ durationMs: 20_000, seed: 4 });
  expect(healerErrors).toEqual([]);
  expect(verdict).toBe('Succeeded');
  expect(primaryVersion).toBe('2');
  expect(Object.keys(byHealer).sort()).toEqual(['Deployment/podinfo', 'Service/podinfo', 'VirtualService/podinfo']);
  for (const [kind, steps] of Object.entries(OWN_STEPS)) {
    expect(bySerin[`${kind}/podinfo`] ?? 0, `${kind}: ${JSON.stringify(bySerin)}`).toBeLessThanOrEqual(CORRECTIONS_IN_20_S + steps);
  }
  expect(contested.join('\n')).toMatch(/gitops/);
});
