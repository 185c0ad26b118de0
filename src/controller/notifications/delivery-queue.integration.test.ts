import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { parsedCanary } from '../../../test/fakes/parsed-canary.ts';
import { withServer } from '../../../test/fakes/test-server.ts';
import { eventuallyHolds } from '../../../test/scenarios/eventually.ts';
import type { Canary, Webhook } from '../../api/canary.ts';
import type { Delivery } from '../../api/canary-status.ts';
import type { Clock } from '../../base/clock.ts';
import type { SendOutcome } from '../../notifiers/notifier.ts';
import { DeliveryQueue, type DeliveryQueueOptions } from './delivery-queue.ts';

const ALERT: Delivery = { key: 'uid/1/s1:a/Succeeded/alert', kind: 'alert', outcome: 'Succeeded', message: 'promoted', sinceMs: 0 };
const to = (name: string): Delivery => ({
  ...ALERT,
  key: `${ALERT.key}/test/${name}`,
  alert: { reason: 'Succeeded', severity: 'info', to: { namespace: 'test', name }, fields: [] },
});

/** A queue whose timers are turned by hand. */
function aQueue(answer: (key: string, signal: AbortSignal) => Promise<SendOutcome>, changes: Partial<DeliveryQueueOptions> = {}) {
  const timers: { ms: number; run: () => void }[] = [];
  const cancelled: number[] = [];
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    setTimer: (ms, run) => {
      const nth = timers.push({ ms, run });
      return () => void cancelled.push(nth);
    },
  };
  /** Timers that were not cancelled. The deadline of a call is cancelled when it ends. */
  const waiting = () => timers.filter((_, index) => !cancelled.includes(index + 1));
  const sent: string[] = [];
  const record = vi.fn<DeliveryQueueOptions['record']>(async () => 'taken');
  const onDelivered = vi.fn<DeliveryQueueOptions['onDelivered']>();
  const log = { warn: vi.fn<(fields: object, message: string) => void>() };
  const queue = new DeliveryQueue({
    clock,
    eventWebhook: '',
    secret: async () => undefined,
    mayWrite: () => true,
    log,
    record,
    onDelivered,
    sendAlert: (_canary, { key }, signal) => {
      sent.push(key);
      return answer(key, signal);
    },
    ...changes,
  });
  return { queue, timers, waiting, cancelled, sent, record, onDelivered, log };
}

it('I6: an Event that had no answer stays listed, and the next attempt is the same Event', async () => {
  const outcomes = ['unanswered', 'unanswered', 'taken'] as const;
  const { queue, waiting, record, onDelivered } = aQueue(async () => ({ ok: true }));
  record.mockImplementation(async () => outcomes[record.mock.calls.length - 1] ?? 'taken');
  const event: Delivery = { ...ALERT, key: 'uid/1/s1:a/Succeeded/event', kind: 'event' };
  queue.deliver(canaryWith([event]));
  for (const attempt of [1, 2]) {
    await eventuallyHolds(() => expect(waiting()).toHaveLength(attempt));
    expect(onDelivered).not.toHaveBeenCalled();
    waiting().at(-1)?.run();
  }
  await eventuallyHolds(() => expect(onDelivered).toHaveBeenCalledWith('uid', event.key));
  expect(record.mock.calls.map(([, { message }, isAgain]) => [message, isAgain])).toEqual([
    ['promoted', false],
    ['promoted', true],
    ['promoted', true],
  ]);
});

it('an Event that the API server refuses for good is in the log, and no longer waited for', async () => {
  const { queue, record, onDelivered } = aQueue(async () => ({ ok: true }));
  record.mockImplementation(async () => 'refused');
  queue.deliver(canaryWith([{ ...ALERT, kind: 'event' }]));
  await eventuallyHolds(() => expect(onDelivered).toHaveBeenCalledWith('uid', ALERT.key));
});

it('I6: an answered message is not sent again while an older status still lists it', async () => {
  const { queue, sent, onDelivered } = aQueue(async () => ({ ok: true }));
  queue.deliver(canaryWith([ALERT]));
  await eventuallyHolds(() => expect(onDelivered).toHaveBeenCalledWith('uid', ALERT.key));
  queue.deliver(canaryWith([ALERT]));
  await eventuallyHolds(() => expect(queue.depth).toBe(0));
  expect(sent).toHaveLength(1);
  // Once it has left the status, the same key is a new message.
  queue.deliver(canaryWith([]));
  queue.deliver(canaryWith([ALERT]));
  await eventuallyHolds(() => expect(sent).toHaveLength(2));
});

it('a failure is tried again after 1, 2, 4 … 300 s, under the same key', async () => {
  const { queue, timers, sent } = aQueue(async () => ({ ok: false, reason: 'HTTP 500', mayRetry: true }));
  queue.deliver(canaryWith([ALERT]));
  for (let turn = 1; turn <= 11; turn += 1) {
    await eventuallyHolds(() => expect(timers).toHaveLength(turn));
    timers.at(-1)?.run();
  }
  await eventuallyHolds(() => expect(timers).toHaveLength(12));
  expect(timers.map(({ ms }) => ms / 1000)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
  expect(new Set(sent)).toEqual(new Set([ALERT.key]));
});

it.each([
  { what: 'what a user has to correct waits long', answer: { mayRetry: false }, seconds: 300 },
  { what: 'a receiver that asks for a pause gets it', answer: { mayRetry: true, retryAfterMs: 30_000 }, seconds: 30 },
  { what: 'a pause has a bound', answer: { mayRetry: true, retryAfterMs: 86_400_000 }, seconds: 300 },
])('$what', async ({ answer, seconds }) => {
  const { queue, timers } = aQueue(async () => ({ ok: false, reason: 'no', ...answer }));
  queue.deliver(canaryWith([ALERT]));
  await eventuallyHolds(() => expect(timers.map(({ ms }) => ms)).toEqual([seconds * 1000]));
});

it('a dead receiver delays no other, and an event reports it once', async () => {
  const isDead = (key: string) => key.endsWith('/dead');
  const { queue, timers, record, onDelivered } = aQueue(async (key) =>
    isDead(key) ? { ok: false, reason: 'no answer from chat.example', mayRetry: true } : { ok: true },
  );
  queue.deliver(canaryWith([to('dead'), to('alive')]));
  await eventuallyHolds(() => expect(onDelivered).toHaveBeenCalledWith('uid', to('alive').key));
  for (let turn = 1; turn <= 6; turn += 1) {
    await eventuallyHolds(() => expect(timers).toHaveLength(turn));
    timers.at(-1)?.run();
  }
  expect(onDelivered).toHaveBeenCalledTimes(1);
  const message = 'Alert not taken by AlertProvider test/dead: no answer from chat.example';
  expect(record.mock.calls.map(([, event]) => event)).toEqual([{ type: 'Warning', reason: 'AlertFailed', message }]);
});

it('a receiver that hangs keeps no other waiting, and ends with its Canary', async () => {
  let aborted = false;
  const hang = (signal: AbortSignal) =>
    new Promise<SendOutcome>((_, reject) =>
      signal.addEventListener('abort', () => {
        aborted = true;
        reject(signal.reason);
      }),
    );
  const { queue, onDelivered } = aQueue((key, signal) => (key.endsWith('/hangs') ? hang(signal) : Promise.resolve({ ok: true })));
  queue.deliver(canaryWith([to('hangs'), to('alive')]));
  await eventuallyHolds(() => expect(onDelivered).toHaveBeenCalledTimes(1));
  expect(queue.depth).toBe(1);
  queue.stop({ metadata: { namespace: 'test', uid: 'uid' } });
  expect([aborted, queue.depth]).toEqual([true, 0]);
});

it('however often a message is tried, one timer and one listener wait for its end', async () => {
  const signals: AbortSignal[] = [];
  const { queue, timers, waiting } = aQueue(async (_, signal) => {
    signals.push(signal);
    return { ok: false, reason: 'away', mayRetry: true };
  });
  queue.deliver(canaryWith([ALERT]));
  for (let nth = 1; nth <= 20; nth += 1) {
    await eventuallyHolds(() => expect(timers).toHaveLength(nth));
    timers.at(-1)?.run();
  }
  await eventuallyHolds(() => expect(timers).toHaveLength(21));
  const [signal] = signals;
  if (!signal) throw new Error('nothing was sent');
  expect([signals.every((one) => one === signal), getEventListeners(signal, 'abort').length]).toEqual([true, 1]);
  queue.stop();
  expect(waiting()).toHaveLength(20);
});

it('I6: a message that the status no longer lists is not tried again', async () => {
  const { queue, timers, sent } = aQueue(async () => ({ ok: false, reason: 'no', mayRetry: true }));
  queue.deliver(canaryWith([ALERT]));
  await eventuallyHolds(() => expect(timers).toHaveLength(1));
  queue.deliver(canaryWith([]));
  timers[0]?.run();
  await Promise.resolve();
  expect([sent.length, queue.depth]).toEqual([1, 0]);
});

it('a stop leaves no timer behind, which would keep the process alive', async () => {
  const { queue, timers, cancelled } = aQueue(async () => ({ ok: false, reason: 'no', mayRetry: false }));
  queue.deliver(canaryWith([to('a'), to('b')]));
  await eventuallyHolds(() => expect(timers).toHaveLength(2));
  queue.deliver(canaryWith([to('b')]));
  expect(cancelled).toEqual([1]);
  queue.stop();
  expect(cancelled).toEqual([1, 2]);
});

it('a forbidden message counts as answered, and an event says why', async () => {
  const { queue, record, onDelivered } = aQueue(async () => ({ ok: false, reason: 'forbidden', mayRetry: false, isFinal: true }));
  queue.deliver(canaryWith([to('chat')]));
  await eventuallyHolds(() => expect(onDelivered).toHaveBeenCalledWith('uid', to('chat').key));
  expect(record).toHaveBeenCalledTimes(1);
});

it('I9: without the lease nothing is sent', async () => {
  let isLeader = false;
  const { queue, timers, sent } = aQueue(async () => ({ ok: true }), { mayWrite: () => isLeader });
  queue.deliver(canaryWith([ALERT]));
  await eventuallyHolds(() => expect(timers).toHaveLength(1));
  expect(sent).toEqual([]);
  isLeader = true;
  timers[0]?.run();
  await eventuallyHolds(() => expect(sent).toHaveLength(1));
});

it('an error of a receiver is not quoted', async () => {
  const { queue, log, timers } = aQueue(async () => Promise.reject(new Error('https://chat.example/s3cret')));
  queue.deliver(canaryWith([ALERT]));
  await eventuallyHolds(() => expect(timers).toHaveLength(1));
  expect(JSON.stringify(log.warn.mock.calls)).not.toContain('s3cret');
});

describe('hooks', () => {
  const webhooks = (url: string) => ['a', 'b', 'c'].map((name) => ({ name, type: 'post-rollout' as const, url: `${url}/${name}` }));
  const hook = (name: string): Delivery => ({ ...ALERT, key: name, kind: 'post-rollout', hook: { name, nth: 0 } });

  it('E105: are called in the order of the spec, a failed hook is tried again without the others, and a refusing hook is not', async () => {
    const statuses: Record<string, number> = { '/a': 500, '/b': 404, '/c': 200 };
    const called: (string | undefined)[] = [];
    await withServer(
      (request, response) => {
        called.push(request.url);
        response.writeHead(statuses[request.url ?? ''] ?? 200).end();
      },
      async (url) => {
        const { queue, waiting, record, onDelivered } = aQueue(async () => ({ ok: true }));
        queue.deliver(canaryWith(['a', 'b', 'c'].map(hook), webhooks(url)));
        await eventuallyHolds(() => expect(onDelivered.mock.calls.map(([, key]) => key)).toEqual(['b', 'c']));
        expect(called).toEqual(['/a', '/b', '/c']);
        expect(record.mock.calls.map(([, { reason, message }]) => [reason, message])).toEqual([
          ['HookFailed', expect.stringMatching(/^post-rollout failed: b: HTTP 404/)],
          ['HookPassed', 'The post-rollout hook c passed'],
        ]);
        statuses['/a'] = 200;
        waiting().at(-1)?.run();
        await eventuallyHolds(() => expect(onDelivered.mock.calls.map(([, key]) => key)).toEqual(['b', 'c', 'a']));
        expect(called).toEqual(['/a', '/b', '/c', '/a']);
        const [, event] = record.mock.lastCall ?? [];
        expect(event, 'E85').toEqual({ type: 'Normal', reason: 'HookPassed', message: 'The post-rollout hook a passed' });
      },
    );
  });

  it.each([408, 425, 429, 500, 501, 503])('E105: %i is tried again', async (status) => {
    await withServer(
      (_request, response) => response.writeHead(status).end(),
      async (url) => {
        const { queue, waiting, onDelivered } = aQueue(async () => ({ ok: true }));
        queue.deliver(canaryWith([hook('a')], webhooks(url)));
        await eventuallyHolds(() => expect(waiting().map(({ ms }) => ms)).toEqual([1000]));
        expect(onDelivered).not.toHaveBeenCalled();
      },
    );
  });

  it('E105: a hook that the spec no longer names counts as delivered, and is not reported as passed', async () => {
    const { queue, record, onDelivered } = aQueue(async () => ({ ok: true }));
    queue.deliver(canaryWith([hook('z'), { ...hook('z'), key: 'event', kind: 'event-webhook' }]));
    await eventuallyHolds(() => expect(onDelivered).toHaveBeenCalledTimes(2));
    expect(record).not.toHaveBeenCalled();
  });

  it('I6: of an earlier version, which listed all hooks as one, all are called', async () => {
    const called: (string | undefined)[] = [];
    await withServer(
      (request, response) => {
        called.push(request.url);
        response.end();
      },
      async (url) => {
        const { queue, onDelivered } = aQueue(async () => ({ ok: true }));
        queue.deliver(canaryWith([{ ...ALERT, key: 'all', kind: 'post-rollout' }], webhooks(url)));
        await eventuallyHolds(() => expect(onDelivered).toHaveBeenCalledWith('uid', 'all'));
        expect(called).toEqual(['/a', '/b', '/c']);
      },
    );
  });

  it('I6: of an earlier version, a hook that refuses for good keeps none of the others from being called', async () => {
    const called: (string | undefined)[] = [];
    await withServer(
      (request, response) => {
        called.push(request.url);
        if (request.url === '/a') response.statusCode = 404;
        response.end();
      },
      async (url) => {
        const { queue, onDelivered, record } = aQueue(async () => ({ ok: true }));
        queue.deliver(canaryWith([{ ...ALERT, key: 'all', kind: 'post-rollout' }], webhooks(url)));
        await eventuallyHolds(() => expect(onDelivered).toHaveBeenCalledWith('uid', 'all'));
        expect(called).toEqual(['/a', '/b', '/c']);
        expect(record.mock.calls.map(([, { reason }]) => reason)).toEqual(['HookPassed', 'HookPassed', 'HookFailed']);
      },
    );
  });
});

function canaryWith(deliveries: Delivery[], webhooks: Webhook[] = []): Canary {
  const release = {
    ...{ targetUid: 't', revision: 's1:a', observedGeneration: 1, run: 1, step: 'resting', routes: { kind: 'weighted', canary: 0 } },
    ...{ failedChecks: 0, iterations: 0, startedMs: 0, stepStartedMs: 0, deliveries },
  };
  const status = { phase: 'Succeeded', failedChecks: 0, canaryWeight: 0, iterations: 0, release };
  return parsedCanary({ analysis: { interval: '1m', threshold: 2, webhooks } }, { name: 'web', uid: 'uid' }, status);
}
