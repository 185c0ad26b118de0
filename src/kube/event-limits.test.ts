import { expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import type { Cluster } from './cluster.ts';
import { EVENTS_OF_OBJECT, MOST_EVENTS_WAITING } from './event-limits.ts';
import { eventRecorder, TooManyEventsError } from './events.ts';

function given({ isAnswered = true } = {}) {
  const answers: (() => void)[] = [];
  const clock = handClock();
  const sent: string[] = [];
  const write = async (namespace: string) => {
    sent.push(namespace);
    if (!isAnswered) await new Promise<void>((resolve) => answers.push(resolve));
  };
  const cluster = {
    create: ({ metadata }: { metadata: { namespace: string } }) => write(metadata.namespace),
    patch: ({ namespace }: { namespace: string }) => write(namespace).then(() => ({})),
  } as unknown as Cluster;
  const errors: unknown[] = [];
  const recorder = eventRecorder(cluster, { component: 'serin', instance: 'serin-0', clock, onError: (error) => errors.push(error) });
  const record = (namespace: string, name: string, message = 'changed') =>
    recorder.record(
      { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { namespace, name, uid: name } },
      { type: 'Warning', reason: 'InvalidSpec', message },
    );
  return { clock, sent, errors, record, answers };
}

it('I15: one object has a burst of Events, and then one in 5 s; repeats count, and other objects have their own', async () => {
  const { clock, sent, errors, record } = given();
  for (let index = 0; index < 1000; index += 1) await record('loud', 'a', index % 2 === 0 ? 'same' : `other ${index}`);
  expect([sent.length, errors.length]).toEqual([EVENTS_OF_OBJECT.burst, 1000 - EVENTS_OF_OBJECT.burst]);
  expect(errors[0]).toBeInstanceOf(TooManyEventsError);
  await record('loud', 'b');
  clock.advance(5_000);
  await record('loud', 'a');
  await record('loud', 'a');
  expect(sent.length).toBe(EVENTS_OF_OBJECT.burst + 2);
});

it('I15: a namespace whose Events are not accepted has a bounded number waiting; another one is not affected', async () => {
  const { sent, errors, record } = given({ isAnswered: false });
  for (let index = 0; index < 3000; index += 1) void record('loud', `canary-${index}`);
  expect(sent.length).toBe(MOST_EVENTS_WAITING);
  expect(errors.length).toBe(3000 - MOST_EVENTS_WAITING);
  void record('calm', 'web');
  expect(sent.at(-1)).toBe('calm');
});

it('a namespace whose Events were answered has as many places again', async () => {
  const { sent, errors, record, answers } = given({ isAnswered: false });
  const first = Array.from({ length: MOST_EVENTS_WAITING }, (_, index) => record('loud', `canary-${index}`));
  for (const answer of answers.splice(0)) answer();
  await Promise.all(first);
  for (let index = 0; index < MOST_EVENTS_WAITING; index += 1) void record('loud', `other-${index}`);
  expect([sent.length, errors.length]).toEqual([2 * MOST_EVENTS_WAITING, 0]);
});
