import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { sealNetwork } from '../../src/rehearsal/seal.ts';
import { type Raw, raw } from '../fakes/raw.ts';
import { callsOf, canaryIn, example, phasesOf, rehearsed, requestsIn, weightsOf } from '../scenarios/rehearsals.ts';

describe('a rehearsal', () => {
  it('a release that waits for evidence is rehearsed to its end, with the counts of both sides', async () => {
    const canary = example('comparison.yaml', ({ spec }: Raw) => {
      spec.analysis.comparison.maxStepDuration = '10m';
    });
    const { outcome, moments } = await rehearsed(canary, 'good');
    expect(outcome).toBe('promoted');
    const compared = moments.findLast((moment) => moment.kind === 'comparison')?.comparison;
    expect(Object.keys(compared ?? {})).toEqual(['errors', 'latency']);
    expect(compared?.errors).toMatchObject({ learned: true, evidence: { canary: { failures: 0 } } });
    expect(compared?.errors).not.toHaveProperty('problem');
  });

  it('runs the production controller through a healthy release', async () => {
    const rehearsal = await rehearsed(example('istio-canary.yaml'), 'good');
    expect(rehearsal.outcome).toBe('promoted');
    expect(weightsOf(rehearsal)).toEqual([10, 20, 30, 40, 50, 0]);
    expect(phasesOf(rehearsal)).toEqual(['Initializing', 'Initialized', 'Progressing', 'Promoting', 'Finalising', 'Succeeded']);
    expect(requestsIn(rehearsal.requests).failed).toBe(0);
    expect(rehearsal.requests.new.sent).toBeGreaterThan(0);
    expect(callsOf(rehearsal)).toMatchObject([{ hooks: [{ name: 'smoke', type: 'pre-rollout' }], status: 200 }]);
  });

  it.each([
    ['bad-5xx', 'failed'],
    ['slow', 'sent'],
  ] as const)('%s: a version that harms its users is rolled back after some of them met it', async (scenario, met) => {
    const { outcome, requests } = await rehearsed(example('istio-canary.yaml'), scenario);
    expect(outcome).toBe('rolledBack');
    expect(requests.new[met]).toBeGreaterThan(0);
    expect(requests.new[met]).toBeLessThan(requestsIn(requests).sent / 2);
  });

  it('crashloop: no user meets a version that does not become ready', async () => {
    const { outcome, requests } = await rehearsed(example('istio-canary.yaml'), 'crashloop');
    expect(outcome).toBe('rolledBack');
    expect(requests).toMatchObject({ new: { sent: 0 }, none: { sent: 0 }, old: { failed: 0 } });
  });

  it('shows that a bad version is promoted where nothing measures it', async () => {
    const unmeasured = example('istio-canary.yaml', ({ spec }: Raw) => {
      delete spec.analysis.metrics;
    });
    const { outcome, requests } = await rehearsed(unmeasured, 'bad-5xx');
    expect(outcome).toBe('promoted');
    expect(requests.new.failed).toBeGreaterThan(0);
  });

  it('the same seed gives the same rehearsal byte for byte, and another seed another one', async () => {
    const once = async (seed: number) => JSON.stringify(await rehearsed(example('istio-canary.yaml'), 'bad-5xx', { seed }));
    const first = await once(1);
    expect(await once(1)).toBe(first);
    expect(await once(2)).not.toBe(first);
  });
});

describe('nothing of a rehearsal reaches a network', () => {
  it('calls of manifests to names, addresses and listeners of this machine are answered within the rehearsal', async () => {
    const { server, port, connections } = await listener();
    const hook = (name: string, url: string) => ({ name, type: 'rollout', url, timeout: '2s' });
    const addresses = ['https://hooks.example.com/a', 'http://203.0.113.7/b', 'http://[2001:db8::1]:81/c', `http://localhost:${port}/`];
    const objects = example('istio-canary.yaml', ({ spec }: Raw) => {
      spec.analysis.webhooks = addresses.map((url, index) => hook(`hook-${index}`, url));
      spec.analysis.alerts = [{ name: 'all', severity: 'info', providerRef: { name: 'chat' } }];
    });
    const chat = { type: 'slack', address: 'https://chat.example.com/x', proxy: `http://localhost:${port}` };
    objects.push({ apiVersion: 'flagger.app/v1beta1', kind: 'AlertProvider', metadata: { name: 'chat', namespace: 'test' }, spec: chat });
    const rehearsal = await rehearsed(objects, 'good');
    const reached = new Set(callsOf(rehearsal).map(({ url }) => url));
    expect([...reached]).toEqual(
      expect.arrayContaining(['hooks.example.com/a', '203.0.113.7/b', '[2001:db8::1]:81/c', 'chat.example.com/x']),
    );
    expect(connections()).toBe(0);
    server.close();
  });

  it('a connection that is tried all the same is refused while a rehearsal runs', async () => {
    const { server, port, connections } = await listener();
    const unseal = sealNetwork();
    const refused = await new Promise<Error>((resolve) => connect(port, '127.0.0.1').once('error', resolve));
    unseal();
    expect(refused.name).toBe('SealedNetworkError');
    expect(connections()).toBe(0);
    await new Promise<void>((resolve) =>
      connect(port, '127.0.0.1')
        .once('connect', resolve)
        .once('connect', () => server.closeAllConnections()),
    );
    server.close();
  });
});

it('a missing Deployment is made up, and named', async () => {
  const objects = example('istio-canary.yaml').filter(({ kind }) => kind !== 'Deployment');
  const { outcome, supplied } = await rehearsed(objects, 'good');
  expect(outcome).toBe('promoted');
  expect(supplied).toMatchObject([{ kind: 'Deployment', metadata: { name: raw(canaryIn(objects)).spec.targetRef.name } }]);
});

async function listener(): Promise<{ server: Server; port: number; connections(): number }> {
  let count = 0;
  const server = createServer((_, response) => response.end());
  server.on('connection', () => {
    count += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port, connections: () => count };
}
