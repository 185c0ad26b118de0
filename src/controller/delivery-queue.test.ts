import { expect, it, vi } from 'vitest';
import type { Canary } from '../api/canary.ts';
import type { Delivery } from '../api/canary-status.ts';
import { parseCanary } from '../api/parse-canary.ts';
import { systemClock } from '../kube/clock.ts';
import { memoryNotifier } from '../notifiers/memory-notifier.ts';
import { DeliveryQueue } from './delivery-queue.ts';

const ALERT: Delivery = { key: 'uid/1/s1:a/Succeeded/alert', kind: 'alert', outcome: 'Succeeded', message: 'promoted', sinceMs: 0 };

it('I6: what was answered is not sent again while an older status still lists it', async () => {
  const notifier = memoryNotifier();
  const onDelivered = vi.fn();
  const queue = new DeliveryQueue({
    clock: systemClock,
    notifier,
    eventWebhook: '',
    secret: async () => undefined,
    log: { warn: () => undefined },
    record: async () => undefined,
    onDelivered,
  });
  queue.deliver(canaryWith([ALERT]));
  await vi.waitFor(() => expect(onDelivered).toHaveBeenCalledWith('uid', ALERT.key));
  queue.deliver(canaryWith([ALERT]));
  await vi.waitFor(() => expect(queue.depth).toBe(0));
  expect(notifier.sent).toHaveLength(1);
  // Once it has left the status, the same key is a new message.
  queue.deliver(canaryWith([]));
  queue.deliver(canaryWith([ALERT]));
  await vi.waitFor(() => expect(notifier.sent).toHaveLength(2));
});

function canaryWith(deliveries: Delivery[]): Canary {
  const parsed = parseCanary({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'web', namespace: 'test', uid: 'uid', generation: 1, resourceVersion: '1' },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      service: { port: 80 },
      analysis: { interval: '1m', threshold: 2 },
    },
    status: {
      phase: 'Succeeded',
      failedChecks: 0,
      canaryWeight: 0,
      iterations: 0,
      release: {
        targetUid: 't',
        revision: 's1:a',
        observedGeneration: 1,
        run: 1,
        step: 'resting',
        routes: { kind: 'weighted', canary: 0 },
        failedChecks: 0,
        iterations: 0,
        startedMs: 0,
        stepStartedMs: 0,
        deliveries,
      },
    },
  });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.canary;
}
