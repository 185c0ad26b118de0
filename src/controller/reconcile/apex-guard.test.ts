import { setImmediate as aTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { WatchHandler } from '../../kube/cluster.ts';
import { HealingBrake } from '../objects/healing-brake.ts';
import { ApexGuard } from './apex-guard.ts';

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

/** The Service is written so that it leads to the primary; what the EndpointSlices do then is the test's. */
async function writing() {
  const [before, after] = [serviceFor('shop', '1'), serviceFor('shop-primary', '2')];
  const clock = handClock();
  const watches: WatchHandler[] = [];
  const patched: unknown[] = [];
  let service = before;
  const cluster = {
    list: async () => ({ items: [sliceOf('10.0.0.1')], resourceVersion: '1' }),
    patch: async (_: unknown, patch: object) => {
      patched.push(raw(patch).spec.selector);
      return before;
    },
    watch: (_: unknown, handler: WatchHandler) => {
      watches.push(handler);
      return { synced: new Promise<void>(() => undefined), ageMs: () => 0, restarts: 0, stop: () => undefined };
    },
  };
  const view = { find: () => ({ object: service }), learn: () => undefined };
  const canary = {
    metadata: { name: 'shop', namespace: 'prod', generation: 1 },
    spec: { targetRef: { kind: 'Deployment', name: 'shop' } },
  };
  const wanted = new Map([['v1/Service/prod/shop', 'a digest']]);
  const brake = new HealingBrake();
  const context = { cluster, view, clock, canary, wanted, brake, signal: new AbortController().signal };
  let end: 'served' | 'put back' | undefined;
  void new ApexGuard()
    .write(context as never, after, before, async () => {
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
  const [watch] = watches;
  if (watch === undefined) throw new Error('no watch');
  const pass = async (ms: number) => {
    clock.advance(ms);
    await aTurn();
    return end;
  };
  return { watch, pass, patched, wanted };
}

it('I14, I18: a Service that has no endpoints after it was moved is put back, and is not contested by that', async () => {
  const { watch, pass, patched, wanted } = await writing();
  watch.onList([sliceOf('10.0.0.2', false)]);
  expect(await pass(9_000)).toBe(undefined);
  expect(await pass(1_000)).toBe('put back');
  expect(patched).toEqual([{ app: 'shop' }]);
  expect(wanted.size).toBe(0);
});

it('I14: EndpointSlices that an API server lists late are waited for, and are no reason to put the Service back', async () => {
  const { watch, pass, patched } = await writing();
  expect(await pass(60_000)).toBe(undefined);
  watch.onList([sliceOf('10.0.0.1')]);
  expect(await pass(5_000)).toBe(undefined);
  watch.onEvent({ type: 'MODIFIED', object: sliceOf('10.0.0.2') });
  expect(await pass(0)).toBe('served');
  expect(patched).toEqual([]);
});

it('I14: EndpointSlices that may not be watched are no reason to put the Service back', async () => {
  const { watch, pass, patched } = await writing();
  watch.onUnavailable?.('forbidden', 'not allowed');
  expect(await pass(0)).toBe('served');
  expect(patched).toEqual([]);
});
