import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { program } from '../fakes/program.ts';

const unreachable = '--master=http://127.0.0.1:1';

/** Output of `serin controller` until it ends, and its exit code. */
function controller(...flags: string[]): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [program(), 'controller', ...flags], { env: { HOME: '/nonexistent' } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (said += part.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
}

it.concurrent.each([
  { flags: ['--port=abc'], message: '--port: must be a whole number' },
  { flags: ['--port=70000'], message: '--port: must be a port' },
  { flags: ['--kubeconfig-qps=fast'], message: '--kubeconfig-qps: must be a number of requests a second' },
  { flags: ['--kubeconfig-burst=-1'], message: '--kubeconfig-burst: must be a number of requests' },
  { flags: ['-mesh-provider=gatewayapi'], message: '--mesh-provider: provider "gatewayapi" is unknown; known are ' },
  {
    flags: ['--metrics-server=prometheus:9090'],
    message: '--metrics-server: prometheus:9090 must be an http(s) URL: write it like http://prometheus:9090',
  },
  { flags: ['--shards=0', '--enable-leader-election'], message: '--shards: must be 1 or more' },
  { flags: ['--shards=17', '--enable-leader-election'], message: '--shards: is more than 16' },
  { flags: ['--shards=3'], message: '--shards: more than 1 needs --enable-leader-election' },
  { flags: ['--lease-duration=5'], message: '--lease-duration: 5 must be a duration, like 30s' },
  { flags: [], message: 'cannot connect to a cluster: no credentials' },
  { flags: ['--kubeconfig=/nonexistent/config'], message: '/nonexistent/config does not exist: correct --kubeconfig' },
])('$flags ends it with one line: $message', async ({ flags, message }) => {
  const { code, said } = await controller(...flags);
  expect(said).toContain(message);
  expect(said.trim().split('\n')).toHaveLength(1);
  expect(code).toBe(1);
});

it.concurrent.each([
  { flags: ['-mesh-provider=smi:v1alpha1:istio'], message: ['the SMI adapter of Istio is archived'] },
  { flags: ['-mesh-provider=smi:v1alpha1:linkerd'], message: [] },
  { flags: ['-mesh-provider=gatewayapi:v1alpha2'], message: ['gatewayapi:v1 is used'] },
  { flags: ['-kubeconfig-qps=0', '-kubeconfig-burst=0'], message: [] },
  { flags: ['-kubeconfig-qps=-1'], message: [] },
])('$flags is accepted, as Flagger accepts it, and says: $message', async ({ flags, message }) => {
  const { said } = await controller(...flags);
  const lines = said.trim().split('\n');
  expect(lines.pop()).toContain('cannot connect to a cluster: no credentials');
  expect(lines.map((line) => JSON.parse(line).reason)).toEqual(message.map((text) => expect.stringContaining(text)));
});

it('a port that is taken ends it with one line, before any request to the cluster', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, resolve));
  const { port } = other.address() as AddressInfo;
  const { code, said } = await controller(`--port=${port}`, unreachable);
  other.close();
  expect(said).toBe(`--port ${port}: another program listens there: choose another port, or 0 for a free one\n`);
  expect(code).toBe(1);
});

it('an API server that cannot be reached is one line with the remedy, and the end when it stays away', async () => {
  const { code, said } = await controller('--port=0', '--metrics-server=http://127.0.0.1:1', '--api-server-timeout=2s', unreachable);
  const lines = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: string; msg: string; reason?: string });
  const loud = lines.filter(({ level, msg }) => level !== 'info' && msg !== 'the metrics server is unavailable');
  expect(loud.map(({ level, msg }) => `${level}: ${msg}`)).toEqual([
    'warn: the API server does not answer: check its address, its health and the network policies on the way',
    'error: no answer from the API server within --api-server-timeout: exiting',
  ]);
  expect(loud[0]?.reason).toContain('correct the server in the kubeconfig (or --master), or start it');
  expect(said).not.toContain('    at ');
  expect(code).toBe(1);
});
