import { describe, expect, it } from 'vitest';
import { playHealthyRelease } from './adversity/healthy-release.ts';
import { aController } from './controller.ts';
import type { Environment } from './environment.ts';
import { playServiceReleases } from './provider-releases.ts';

/** Each wait inside has a bound of its own. */
const LONGEST_MS = 300_000;

/** Blue/Green through nothing but a Service, whose selector decides: no request is lost (07-S3, I10). */
export function describeServiceReleases(environmentOf: () => Environment): void {
  const controllerOf = aController(environmentOf);

  it(
    '07-S3: a bad version is rolled back, and a good one is promoted',
    () => playServiceReleases(environmentOf(), controllerOf()),
    LONGEST_MS,
  );

  describe('07-S3: from the creation of the Canary to its deletion', () => {
    it(
      'no request is lost',
      async () => {
        const options = { namespace: 'kept', interval: '1s', scaleDownDelay: '4s', leastAnswers: 2_000 };
        const { lost, verdict } = await playHealthyRelease(environmentOf(), { provider: 'kubernetes', ...options });
        expect(lost).toEqual([]);
        expect(verdict).toBe('Succeeded');
      },
      LONGEST_MS,
    );
  });
}
