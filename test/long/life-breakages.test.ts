import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { routeBreakages } from '../application/arrival/routes/breakages.ts';
import { breakages } from '../application/breakages.ts';

const application = join(import.meta.dirname, '..', 'application');
const run = promisify(execFile);

it.each(breakages)('$name: one of the first hundred lives finds it', async ({ name, invariants }) => {
  // The program ends with an error if no life finds the breakage.
  const { stdout } = await run(process.execPath, [join(application, 'breakages.ts'), name]);
  process.stdout.write(`${name}: ${stdout}`);
  expect(invariants.some((one) => stdout.includes(`: ${one}: `))).toBe(true);
});

it.each(routeBreakages)('$name: the routes of one of the first hundred worlds find it', async ({ name, notices }) => {
  const { stdout } = await run(process.execPath, [join(application, 'arrival', 'routes', 'breakages.ts'), name]);
  process.stdout.write(`${name}: ${stdout}`);
  expect(stdout).toMatch(notices);
});
