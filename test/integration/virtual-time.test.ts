import { expect, it } from 'vitest';
import { type Recorded, recordRelease } from '../suite/recorded-release.ts';

const METRICS = [{ name: 'request-success-rate', interval: '4s', thresholdRange: { min: 99 } }];

async function healthy({ story: { given, when, then } }: Recorded): Promise<void> {
  await given.aDeployment();
  given.users();
  await given.aCanary({ stepWeight: 20, maxWeight: 60, metrics: METRICS });
  await when.imageChanges('2');
  await then.releaseEnds('Succeeded');
  await then.primaryRuns('2');
  then.nothingWasLost();
}

/** The gate lets no luck promote it. */
async function badAndKilled({ story: { given, when, then }, kill }: Recorded): Promise<void> {
  await given.aDeployment();
  given.users();
  await given.aCanary({ stepWeight: 20, maxWeight: 60, metrics: METRICS, webhooks: given.aClosedGate() });
  await when.imageChanges('2', { ERROR_RATE: '0.5' });
  await then.canaryReceives(20);
  await kill(700);
  await then.releaseEnds('Failed');
  await then.primaryRuns('1');
  then.nothingWasLost();
}

it.each([
  { what: 'a healthy release', release: healthy, ends: '"phase":"Succeeded"' },
  { what: 'a bad release whose controller is killed', release: badAndKilled, ends: '"phase":"Failed"' },
])('the same seed gives $what byte for byte again, and another seed another one', async ({ release, ends }) => {
  const first = await recordRelease(1, release);
  const again = await recordRelease(1, release);
  const other = await recordRelease(2, release);
  expect(first).toContain(ends);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});
