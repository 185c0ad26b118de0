import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aSchedule, play } from '../fakes/model/adversary.ts';
import { foundSchedules } from '../fakes/model/found-schedules.ts';
import { propertyRuns, propertyTimeoutMs } from '../fakes/property-runs.ts';

/** 20 schedules in `npm test`. */
const SHARE = 1 / 6;

describe('the template that a promotion writes to the primary', () => {
  it('I3: is what was analysed, for any edits of target, primary, ConfigMaps and Secrets by others between any two calls', {
    timeout: 3 * propertyTimeoutMs,
  }, async () => {
    let promotions = 0;
    const property = fc.asyncProperty(aSchedule, async (schedule) => {
      const played = await play(schedule);
      promotions += played.promotions;
      expect(played.unanalysed).toEqual([]);
    });
    const { numRuns, seed } = propertyRuns(SHARE);
    await fc.assert(property, { numRuns, seed });
    // An adversary that lets nothing be promoted proves nothing.
    expect(promotions).toBeGreaterThan(numRuns / 2);
  });

  it.each(foundSchedules)('I3: is what was analysed when $what', { timeout: propertyTimeoutMs }, async (schedule) => {
    const played = await play(schedule);
    expect(played.unanalysed).toEqual([]);
    expect(played.promotions).toBeGreaterThan(0);
  });
});
