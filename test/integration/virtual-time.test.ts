import { expect, it } from 'vitest';
import { recordRelease, releases } from '../scenarios/recorded-release.ts';

it.each(releases)('the same seed gives $what byte for byte again, and another seed another one', async ({ release, ends }) => {
  const first = await recordRelease(1, release);
  const again = await recordRelease(1, release);
  const other = await recordRelease(2, release);
  expect(first).toContain(ends);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});
