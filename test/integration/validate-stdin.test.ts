import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { program } from '../fakes/program.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** More than a pipe holds: when it is written, the reader is at work. */
const COMMENTS = `# ${'x'.repeat(98)}\n`.repeat(20_000);

it('serin validate - reads a pipe that is slower than itself, to its end', async () => {
  const child = spawn(process.execPath, [program(), 'validate', '-'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(String(chunk)));
  const ended = once(child, 'close');
  // The exit code reports a reader that has gone away.
  child.stdin.on('error', () => undefined);
  await new Promise<void>((resolve) => child.stdin.write(COMMENTS, () => resolve()));
  child.stdin.end(readFileSync(join(ROOT, 'test', 'fixtures', 'manifests', 'istio-weighted.yaml')));
  const [code] = await ended;
  expect({ code, said: said.join('') }).toEqual({ code: 0, said: '1 object checked: 0 errors, 0 warnings\n' });
});
