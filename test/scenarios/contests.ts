import { describe, expect, it } from 'vitest';
import { type Contest, playContest } from './adversity/contest.ts';
import type { Environment } from './environment.ts';

const MOST_WRITES = 20;
/** The brake: one correction at once, then after 1, 2, 4, 8 … s; of a selector, and of the routes beside it, after 1 and 2 s. */
const correctionsIn = (kind: string, durationMs: number): number =>
  kind === 'Deployment' ? Math.min(MOST_WRITES, 2 + Math.floor(Math.log2(durationMs / 1000 + 1))) : 3 + Math.ceil(durationMs / 2_000);
/** A raise and a return of replicas; three weights and the way home; nothing of the selector. */
const OWN_STEPS = { Deployment: 2, VirtualService: 5, Service: 0 };

/** Another writer who puts everything back within a second, from the start of a release for the given time. */
export function describeContest(
  environmentOf: () => Environment,
  { durationMs, seed }: { durationMs: number; seed: number },
  hear: (contest: Contest) => void = () => undefined,
): void {
  describe('a self-healer that reverts within 1 s', () => {
    it(`cannot make Serin fight for ${durationMs / 1000} s: the release ends when it stops, with at most ${MOST_WRITES} writes of the Deployment`, async () => {
      const contest = await playContest(environmentOf(), { durationMs, seed });
      hear(contest);
      const { verdict, primaryVersion, bySerin, byHealer, healerErrors, contested, lastedMs } = contest;
      expect(healerErrors).toEqual([]);
      expect(verdict).toBe('Succeeded');
      expect(primaryVersion).toBe('2');
      expect(Object.keys(byHealer).sort()).toEqual(['Deployment/podinfo', 'Service/podinfo', 'VirtualService/podinfo']);
      for (const [kind, steps] of Object.entries(OWN_STEPS)) {
        const most = correctionsIn(kind, lastedMs) + steps;
        expect(bySerin[`${kind}/podinfo`] ?? 0, `${kind}: ${JSON.stringify(bySerin)}`).toBeLessThanOrEqual(most);
      }
      expect(contested.length).toBeGreaterThan(0);
      for (const message of contested) expect(message).toContain('is changed back by gitops');
    });
  });
}
