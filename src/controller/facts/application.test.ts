import { expect, it } from 'vitest';
import { ControllerConfig } from '../config.ts';
import type { Log } from '../log.ts';
import { ApplicationReads } from './application.ts';

const forbidden = Object.assign(new Error('forbidden'), { status: 403 });

function reads(answer: (kind: string) => Promise<void>) {
  const listed: string[] = [];
  const logged: unknown[] = [];
  const log = { warn: (fields: object) => void logged.push(fields) } as unknown as Log;
  const cluster = {
    list: async ({ kind }: { kind: string }) => {
      listed.push(kind);
      await answer(kind);
      return { items: [], resourceVersion: '1' };
    },
  };
  const view = { ready: async () => undefined, allIn: () => [] };
  const deps = { cluster, view, config: ControllerConfig.parse({}), log } as unknown as ConstructorParameters<typeof ApplicationReads>[0];
  return { applications: new ApplicationReads(deps), listed, logged };
}
const { signal } = new AbortController();

it('I17: equal lists at the same time are one request, and later lists are read again', async () => {
  const { applications, listed } = reads(async () => undefined);
  await Promise.all([1, 2, 3].map(() => applications.read('test', 'istio', signal)));
  const once = listed.length;
  expect(new Set(listed).size).toBe(once);
  await applications.read('test', 'istio', signal);
  expect(listed).toHaveLength(2 * once);
  expect(listed).toContain('DestinationRule');
});

it('I17: routes of another provider are not read', async () => {
  const { applications, listed } = reads(async () => undefined);
  await applications.read('test', 'linkerd', signal);
  expect(listed).not.toContain('DestinationRule');
});

it('I17: a caller that gives up waits no longer, and takes nothing from the others', async () => {
  const gate = Promise.withResolvers<void>();
  const { applications } = reads(() => gate.promise);
  const leaving = new AbortController();
  const left = applications.read('test', 'istio', leaving.signal);
  const other = applications.read('test', 'istio', signal);
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  gate.resolve();
  expect(await other).toEqual({ objects: [], unread: [] });
});

it('I17: a forbidden kind is logged once, for all Canaries and namespaces', async () => {
  const { applications, logged } = reads((kind) => (kind === 'Sidecar' ? Promise.reject(forbidden) : Promise.resolve()));
  for (const namespace of ['a', 'b', 'a']) {
    const { unread } = await applications.read(namespace, 'istio', signal);
    expect(unread.map(({ kind }) => kind)).toEqual(['Sidecar']);
  }
  expect(logged).toEqual([expect.objectContaining({ kind: 'Sidecar' })]);
});

it.each([
  { provider: 'istio', kinds: ['VirtualService', 'DestinationRule'] },
  { provider: 'contour', kinds: ['HTTPProxy'] },
  { provider: 'nginx', kinds: ['Ingress'] },
  {
    provider: 'gatewayapi:v1',
    kinds: [
      ...['BackendTrafficPolicy', 'HTTPRoute', 'GRPCRoute', 'SecurityPolicy', 'EnvoyExtensionPolicy', 'AuthPolicy', 'RateLimitPolicy'],
    ],
  },
] as const)(
  'I15: the look at an edit of a Canary of $provider lists routes and what is attached to them alone',
  async ({ provider, kinds }) => {
    const { applications, listed } = reads(async () => undefined);
    await applications.readRoutes('test', provider, signal);
    expect(listed).toEqual(kinds);
  },
);
