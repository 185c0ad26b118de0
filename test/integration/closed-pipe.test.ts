import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { program } from '../fakes/program.ts';

/** Their findings are more than a pipe holds. */
const CANARIES = 3_000;

it('a command whose reader has seen enough ends with the code of SIGPIPE, and without a stack trace', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'serin-pipe-'));
  const file = join(folder, 'canaries.yaml');
  const canary = (index: number) => `apiVersion: flagger.app/v1beta1\nkind: Canary\nmetadata: { name: shop-${index} }\nspec: {}\n`;
  writeFileSync(file, Array.from({ length: CANARIES }, (_, index) => canary(index)).join('---\n'));
  const child = spawn(process.execPath, [program(), 'validate', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (part: Buffer) => {
    complaints += part.toString();
  });
  child.stdout.once('data', () => child.stdout.destroy());
  const code = await new Promise((resolve) => child.once('close', resolve));
  rmSync(folder, { recursive: true });
  expect(code).toBe(141);
  expect(complaints).not.toContain('EPIPE');
});
