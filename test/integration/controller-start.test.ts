import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');
const nobody = '--master=http://127.0.0.1:1';

/** What `serin controller` says before it ends, and its exit code. */
function controller(...flags: string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [MAIN, 'controller', ...flags], { env: { HOME: '/nonexistent' } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
}

it.concurrent.each([
  { flags: ['--port=abc'], told: '--port: is no whole number' },
  { flags: ['--port=70000'], told: '--port: is no port' },
  { flags: ['--kubeconfig-qps=-1'], told: '--kubeconfig-qps: is no number above 0' },
  { flags: ['--lease-duration=5'], told: '--lease-duration: 5 is no duration: write it like 30s' },
  { flags: [], told: 'cannot connect to a cluster: no credentials' },
  { flags: ['--kubeconfig=/nonexistent/config'], told: '/nonexistent/config does not exist: correct --kubeconfig' },
])('$flags ends it with one line: $told', async ({ flags, told }) => {
  const { code, said } = await controller(...flags);
  expect(said).toContain(told);
  expect(said.trim().split('\n')).toHaveLength(1);
  expect(code).toBe(1);
});

it('a port that is taken ends it with one line, before the cluster is asked for anything', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, resolve));
  const { port } = other.address() as AddressInfo;
  const { code, said } = await controller(`--port=${port}`, nobody);
  other.close();
  expect(said).toBe(`--port ${port}: another program listens there: choose another port, or 0 for a free one\n`);
  expect(code).toBe(1);
});

it('a server that cannot be reached is told with the way out, without a stack, and asked again', async () => {
  const child = spawn(process.execPath, [MAIN, 'controller', '--port=0', nobody], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  for await (const part of child.stderr) {
    said += part;
    if (said.split('watch failed').length > 8) break; // four kinds, each more than once
  }
  child.kill('SIGKILL');
  expect(said).toContain('correct the server in the kubeconfig (or --master), or start it');
  expect(said).not.toContain('    at ');
  expect(said).not.toContain('stack');
});
