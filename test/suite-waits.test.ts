import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('no suite waits by `expect.poll`, which fails where tests run side by side (`eventually` does not)', () => {
  const suites = globSync('test/suite/**/*.ts');
  expect(suites.length).toBeGreaterThan(50);
  // With its bracket, so that the sentence about it in `eventually.ts` is none.
  expect(suites.filter((path) => /\bexpect\s*\.poll\(/.test(readFileSync(path, 'utf8')))).toEqual([]);
});
