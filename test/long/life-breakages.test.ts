import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { breakages } from '../application/breakages.ts';

const program = join(import.meta.dirname, '..', 'application', 'breakages.ts');

it.each(breakages)('$name: one of the first hundred lives finds it', async ({ name, invariants }) => {
  // It ends with an error where none does.
  const { stdout } = await promisify(execFile)(process.execPath, [program, name]);
  process.stdout.write(`${name}: ${stdout}`);
  expect(invariants.some((one) => stdout.includes(`: ${one}: `))).toBe(true);
});
