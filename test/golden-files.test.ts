import { globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endingCodes, waitCodes } from '../src/api/codes/codes.ts';
import { states } from '../src/engine/states/index.ts';

const root = join(import.meta.dirname, '..');
const configs = globSync('{.,test/mutants}/vitest*.config.ts', { cwd: root });

it('each suite has a configuration here', () => expect(configs.length).toBeGreaterThan(5));

it.each(configs)('%s: a golden file that is missing fails, also outside CI; `-u` alone writes it', async (file) => {
  const { default: config } = await import(join(root, file));
  expect(config.test.update).toBe('none');
});

it.each(configs.filter((file) => !file.includes('mutants')))(
  '%s: what its tests write aside goes into one folder, which is removed when all passed',
  async (file) => {
    const { default: config } = await import(join(root, file));
    expect([config.test.globalSetup].flat()).toContain('test/fakes/own-temporary.ts');
  },
);

it.each([
  { folder: 'waits', codes: waitCodes },
  { folder: 'endings', codes: endingCodes },
  { folder: 'states', codes: Object.keys(states) },
])('test/golden/$folder has a file for each code or state, and no file of a removed one', ({ folder, codes }) => {
  const files = readdirSync(join(root, 'test', 'golden', folder));
  expect(files.toSorted()).toEqual(codes.map((code) => `${code}.txt`).toSorted());
});
