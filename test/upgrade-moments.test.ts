import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MOMENTS } from './scenarios/upgrade-moments.ts';

it('docs/install.md names each moment of a release in which test/long/upgrade.test.ts changes the version', () => {
  const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'install.md'), 'utf8');
  const section = page.split('### Upgrading in the middle of a release')[1]?.split('\n## ')[0] ?? '';
  const rows = [...section.matchAll(/^\| ([^|]+?) \|/gm)].map(([, moment]) => moment).slice(1);
  expect(rows).toEqual(MOMENTS.map(({ when }) => when));
});
