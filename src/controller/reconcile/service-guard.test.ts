import { setImmediate as aTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { WatchHandler } from '../../kube/cluster.ts';
import { HealingBrake } from '../objects/healing-brake.ts';
import { ServiceGuard } from './service-guard.ts';

const serviceFor = (app: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'shop', namespace: 'prod', resourceVersion },
  spec: { selector: { app }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
});

const sliceOf = (address: string, ready = true): KubeObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'shop-a', namespace: 'prod' },
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: [address], conditions: { ready } }],
});

/**
 * Writes the Service so that it leads to the primary. The test decides the EndpointSlices after that. `found`: the Service in the view after the write, by
 * default the written one.
 */
async function writing({
  found,
  list = [sliceOf('10.0.0.1')],
}: {
  found?: (service: KubeObject) => KubeObject | undefined;
  list?: KubeObject[];
} = {}) {
  const [before, after] = [serviceFor('shop', '1'), serviceFor('shop-primary', '2')];
  const clock = handClock();
  const watches: WatchHandler[] = [];
  const patched: unknown[] = [];
  let service = before;
  const cluster = {
    list: async () => ({ items: list, resourceVersion: '1' }),
    patch: async (_: unknown, patch: object) => {
      patched.push(raw(patch).spec.selector);
      return before;
    },
    watch: (_: unknown, handler: WatchHandler) => {
      watches.push(handler);
      return { synced: new Promise<void>(() => undefined), ageMs: () => 0, restarts: 0, stop: () => undefined };
    },
  };
  const seen = () => (found ? found(service) : service);
  const view = { find: () => seen() && { object: seen() }, learn: () => undefined };
  const canary = {
    metadata: { name: 'shop', namespace: 'prod', generation: 1 },
    spec: { targetRef: { kind: 'Deployment', name: 'shop' } },
  };
  const wanted = new Map([['v1/Service/prod/shop', 'a digest']]);
  const brake = new HealingBrake();
  const context = { cluster, view, clock, canary, wanted, brake, signal: new AbortController().signal };
  let end: 'served' | 'put back' | undefined;
  void new ServiceGuard()
    .write(context as never, { wanted: after, live: before, side: 'primary' }, async () => {
      service = after;
    })
    .then(
      () => {
        end = 'served';
      },
      () => {
        end = 'put back';
      },
    );
  await aTurn();
  const pass = async (ms: number) => {
    clock.advance(ms);
    await aTurn();
    return end;
  };
  const watched = () => {
    const [watch] = watches;
    if (watch === undefined) throw new Error('no watch');
    return watch;
  };
  return { watched, watches, pass, patched, wanted };
}

it.each([
  { what: 'is gone after it', found: () => undefined },
  { what: 'has not been changed by it', found: () => serviceFor('shop', '1') },
  { what: 'had no endpoints before', list: [sliceOf('10.0.0.1', false)] },
])('I14: the endpoints of a Service are not waited for after a write where it $what', async (given) => {
  const { pass, patched, watches } = await writing(given);
  expect([await pass(0), patched, watches]).toEqual(['served', [], []]);
});

it('I14, I18: a Service that has no endpoints after it was moved is put back, and is not contested by that', async () => {
  const { watched, pass, patched, wanted } = await writing();
  const watch = watched();
  watch.onList([sliceOf('10.0.0.2', false)]);
  expect(await pass(9_000)).toBe(undefined);
  expect(await pass(1_000)).toBe('put back');
  expect(patched).toEqual([{ app: 'shop' }]);
  expect(wanted.size).toBe(0);
});

it('I14: EndpointSlices that an API server lists late are waited for, and are no reason to put the Service back', async () => {
  const { watched, pass, patched } = await writing();
  const watch = watched();
  expect(await pass(60_000)).toBe(undefined);
  watch.onList([sliceOf('10.0.0.1')]);
  expect(await pass(5_000)).toBe(undefined);
  watch.onEvent({ type: 'MODIFIED', object: sliceOf('10.0.0.2') });
  expect(await pass(0)).toBe('served');
  expect(patched).toEqual([]);
});

it('I14: forbidden EndpointSlices are no reason to put the Service back', async () => {
  const { watched, pass, patched } = await writing();
  const watch = watched();
  watch.onUnavailable?.('forbidden', 'not allowed');
  expect(await pass(0)).toBe('served');
  expect(patched).toEqual([]);
});

it('I14: a Service that was put back keeps no other one from being written, and is not tried again for the same workload', async () => {
  const [before, after] = [serviceFor('shop', '1'), serviceFor('shop-primary', '2')];
  const named = (service: KubeObject, name: string) => ({ ...service, metadata: { ...service.metadata, name } });
  const clock = handClock();
  const asked: string[] = [];
  const written: string[] = [];
  let generation = 1;
  const cluster = {
    list: async () => {
      asked.push('list');
      return { items: [sliceOf('10.0.0.1')], resourceVersion: '1' };
    },
    patch: async () => before,
    watch: (_: unknown, handler: WatchHandler) => {
      queueMicrotask(() => handler.onList([sliceOf('10.0.0.2', false)]));
      return { synced: new Promise<void>(() => undefined), ageMs: () => 0, restarts: 0, stop: () => undefined };
    },
  };
  const view = {
    find: ({ kind }: { kind: string }) => ({ object: kind === 'Service' ? after : { metadata: { uid: 'u', generation } } }),
    learn: () => undefined,
  };
  const canary = {
    metadata: { name: 'shop', namespace: 'prod', generation: 1 },
    spec: { targetRef: { kind: 'Deployment', name: 'shop' } },
  };
  const context = { cluster, view, clock, canary, wanted: new Map(), brake: new HealingBrake(), signal: new AbortController().signal };
  const guard = new ServiceGuard();
  const write = async (name: string) => {
    const pair = { wanted: named(after, name), live: named(before, name), side: 'primary' } as const;
    const done = guard.write(context as never, pair, async () => void written.push(name)).catch((error: Error) => error.message);
    for (let turn = 0; turn < 3; turn += 1) await aTurn();
    clock.advance(10_000);
    return done;
  };
  expect(await write('shop-primary')).toContain('Service shop-primary had 1 ready endpoints');
  expect(await write('shop')).toContain('Service shop had 1 ready endpoints');
  const requests = asked.length;
  expect(await write('shop-primary')).toContain('so it was put back');
  expect([written, asked.length]).toEqual([['shop-primary', 'shop'], requests]);
  generation = 2;
  await write('shop-primary');
  expect(written).toEqual(['shop-primary', 'shop', 'shop-primary']);
});

it('I14, E63a: a Service that was served so is put back at once: EndpointSlices that have not followed the other writer yet are not waited for', async () => {
  const [before, after] = [serviceFor('shop', '1'), serviceFor('shop-primary', '2')];
  const clock = handClock();
  let slice = sliceOf('10.0.0.1');
  const watches: WatchHandler[] = [];
  const cluster = {
    list: async () => ({ items: [slice], resourceVersion: '1' }),
    watch: (_: unknown, handler: WatchHandler) => {
      watches.push(handler);
      return { synced: new Promise<void>(() => undefined), ageMs: () => 0, restarts: 0, stop: () => undefined };
    },
  };
  const view = { find: () => ({ object: after }), learn: () => undefined };
  const canary = {
    metadata: { name: 'shop', namespace: 'prod', generation: 1 },
    spec: { targetRef: { kind: 'Deployment', name: 'shop' } },
  };
  const context = { cluster, view, clock, canary, wanted: new Map(), brake: new HealingBrake(), signal: new AbortController().signal };
  const guard = new ServiceGuard();
  const ends: string[] = [];
  const write = (wanted: KubeObject) =>
    guard.write(context as never, { wanted, live: before, side: 'primary' }, async () => undefined).then(() => ends.push('served'));
  const first = write(after);
  await aTurn();
  slice = sliceOf('10.0.0.2');
  watches[0]?.onList([slice]);
  await first;
  void write(after);
  await aTurn();
  expect([ends, watches.length]).toEqual([['served', 'served'], 1]);
  // Another port is another thing to serve.
  void write({ ...after, spec: { ...raw(after).spec, ports: [{ name: 'http', port: 80, targetPort: 9090 }] } });
  await aTurn();
  expect([ends.length, watches.length]).toEqual([2, 2]);
});
