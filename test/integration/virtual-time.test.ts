import { expect, it } from 'vitest';
import { recordRelease } from '../suite/recorded-release.ts';
import type { Story } from '../suite/story.ts';

const METRICS = [{ name: 'request-success-rate', interval: '4s', thresholdRange: { min: 99 } }];

async function aRelease({ given, when, then }: Story): Promise<void> {
  await given.aDeployment();
  given.users();
  await given.aCanary({ stepWeight: 20, maxWeight: 60, metrics: METRICS });
  await when.imageChanges('2');
  await then.releaseEnds('Succeeded');
  await then.primaryRuns('2');
  then.nothingWasLost();
}

it('the same seed gives the same release, byte for byte, and another seed another one', async () => {
  const first = await recordRelease(1, aRelease);
  const again = await recordRelease(1, aRelease);
  const other = await recordRelease(2, aRelease);
  expect(first).toContain('"phase":"Succeeded"');
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});
