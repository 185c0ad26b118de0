import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const suites = globSync('test/scenarios/**/*.ts');

it('no suite waits by `expect.poll`, which fails where tests run side by side (`eventually` does not)', () => {
  expect(suites.length).toBeGreaterThan(50);
  // The pattern contains the bracket, so that the sentence about it in `eventually.ts` does not match.
  expect(suites.filter((path) => /\bexpect\s*\.poll\(/.test(readFileSync(path, 'utf8')))).toEqual([]);
});

/** Suites whose scenarios are about processes. */
const REAL = ['test/scenarios/adversity/black-hole-proxy.ts'];

it('suites wait and reach each other in the world that they play in (`world.ts`), which can be a virtual one', () => {
  const real = /\bsetTimeout\(|Date\.now|performance\.now|new Date\(\)|timers\/promises|\bfetch\(|vi\.waitFor|\.listen\(0/;
  expect(suites.filter((path) => real.test(readFileSync(path, 'utf8'))).sort()).toEqual(REAL);
});
