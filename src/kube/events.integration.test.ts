import { afterEach, expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { kubeServer, refuse, sendJson } from '../../test/fakes/kube-server.ts';
import { eventually } from '../../test/scenarios/eventually.ts';
import { connectionTo } from './connect.ts';
import { createCluster } from './create-cluster.ts';
import { eventRecorder } from './events.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** `status` answers each request, and `listStatus` each list; `statuses` answers the first ones, which are stored all the same. */
async function given({
  status = 200,
  listStatus = 200,
  statuses = [],
}: {
  status?: number;
  listStatus?: number;
  statuses?: number[];
} = {}) {
  const stored = new Map<string, Record<string, unknown>>();
  const asked: string[] = [];
  const server = await kubeServer(({ method, path, query, body }, response) => {
    const isList = method === 'GET' && path.endsWith('/events');
    asked.push(isList ? `LIST ${query.get('fieldSelector')}` : method);
    if (isList && listStatus !== 200) return refuse(response, listStatus, 'Forbidden');
    if (isList) {
      const failure = statuses.shift();
      return failure === undefined
        ? sendJson(response, 200, { metadata: {}, items: [...stored.values()] })
        : refuse(response, failure, 'Timeout');
    }
    if (status !== 200) return refuse(response, status, 'Forbidden');
    const sent = body === '' ? {} : JSON.parse(body);
    const name = method === 'POST' ? sent.metadata.name : path.split('/').at(-1);
    const known = stored.get(name);
    if (method === 'POST' && known !== undefined) return refuse(response, 409, 'AlreadyExists');
    if (method !== 'POST' && known === undefined) return refuse(response, 404, 'NotFound');
    stored.set(name, { ...known, ...sent });
    const first = statuses.shift();
    if (first !== undefined) return refuse(response, first, 'Timeout');
    return sendJson(response, 200, stored.get(name));
  });
  const cluster = createCluster(connectionTo(server.url));
  open.push(
    () => cluster.close(),
    () => server.close(),
  );
  const errors: unknown[] = [];
  const clock = handClock();
  const stopping = new AbortController();
  const recorder = () =>
    eventRecorder(cluster, {
      ...{ component: 'serin', instance: 'serin-0', clock, signal: stopping.signal },
      onError: (error) => errors.push(error),
    });
  return { stored, asked, recorder, errors, clock, stopping };
}

const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: 'podinfo', namespace: 'test', uid: 'u1' } };
const news = { type: 'Normal', reason: 'WeightAdvanced', message: 'Canary weight is now 20%' } as const;

it('raises the count of the first Event for a repeat, also from another process and after it expired', async () => {
  const { stored, recorder } = await given();
  const first = recorder();
  await first.record(canary, news);
  await first.record(canary, news);
  await recorder().record(canary, news);
  expect([...stored.values()]).toEqual([
    expect.objectContaining({ ...news, count: 3, involvedObject: { ...canary.metadata, apiVersion: canary.apiVersion, kind: 'Canary' } }),
  ]);
  expect([...stored.keys()][0]).toMatch(/^podinfo\.[0-9a-f]{16}$/);
  stored.clear();
  await first.record(canary, news);
  expect([...stored.values()][0]).toMatchObject({ count: 1 });
});

const texts = ['20%', '40%', '60%'].map((weight) => ({ ...news, message: `Canary weight is now ${weight}` }));
const countsIn = (stored: Map<string, Record<string, unknown>>) => [...stored.values()].map(({ count }) => count);

it('after a restart, repeats of Events cost one request each, after the first has listed the Events of its namespace', async () => {
  const { stored, asked, recorder, errors } = await given();
  const before = recorder();
  for (const text of texts) await before.record(canary, text);
  await before.record(canary, texts[1] ?? news);
  asked.length = 0;
  const after = recorder();
  for (const text of texts) await after.record(canary, text);
  expect([asked, countsIn(stored)]).toEqual([
    ['POST', 'LIST source=serin', 'PATCH', 'PATCH', 'PATCH'],
    [2, 3, 2],
  ]);
  asked.length = 0;
  for (const text of texts) await after.record(canary, text);
  await after.record(canary, { ...news, message: 'new' });
  expect([asked, countsIn(stored), errors]).toEqual([['PATCH', 'PATCH', 'PATCH', 'POST'], [3, 4, 3, 1], []]);
});

it('after a restart, repeats of Events that are sent together share the list', async () => {
  const { stored, asked, recorder } = await given();
  const before = recorder();
  for (const text of texts) await before.record(canary, text);
  asked.length = 0;
  const after = recorder();
  await Promise.all(texts.map((text) => after.record(canary, text)));
  expect([asked.filter((one) => one.startsWith('LIST')).length, asked.length, countsIn(stored)]).toEqual([1, 7, [2, 2, 2]]);
});

it('the counts of Events rise also without the right to list them', async () => {
  const { stored, asked, recorder, errors } = await given({ listStatus: 403 });
  const before = recorder();
  for (const text of texts) await before.record(canary, text);
  asked.length = 0;
  const after = recorder();
  for (const text of texts) await after.record(canary, text);
  expect([asked.filter((one) => one.startsWith('LIST')).length, asked.length, countsIn(stored), errors]).toEqual([1, 10, [2, 2, 2], []]);
});

it('the count of an Event by another process does not fall when the request that shows it has no answer', async () => {
  const statuses: number[] = [];
  const { stored, recorder, clock } = await given({ listStatus: 403, statuses });
  const before = recorder();
  await before.record(canary, news);
  await before.record(canary, news);
  statuses.push(503);
  const outcome = recorder().record(canary, news);
  await eventually('the first attempt has failed', () => clock.nextInMs !== undefined);
  clock.advance(1_000);
  expect([await outcome, countsIn(stored)]).toEqual(['taken', [2]]);
});

it('a repeat costs one request, however many Canaries have Events', async () => {
  const { asked, recorder, errors } = await given();
  const of = (index: number) => ({ ...canary, metadata: { name: 'podinfo', namespace: `test-${index}`, uid: `u${index}` } });
  const events = recorder();
  for (let index = 0; index < 1_500; index += 1) await events.record(of(index), news);
  asked.length = 0;
  await events.record(of(0), news);
  expect(asked).toEqual(['PATCH']);
  expect(errors).toEqual([]);
});

it("shortens a message to the server's limit", async () => {
  const { stored, recorder } = await given();
  await recorder().record(canary, { ...news, message: 'ü'.repeat(2_000) });
  const message = String([...stored.values()][0]?.message);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
  expect(message.endsWith('ü…')).toBe(true);
});

it('never rejects: an error goes to onError', async () => {
  const { recorder, errors } = await given({ status: 403 });
  await expect(recorder().record(canary, news)).resolves.toBe('refused');
  expect(errors).toEqual([expect.objectContaining({ status: 403 })]);
});

it('an Event whose write had no answer, or met an overloaded server, is sent again and counted once', async () => {
  const { stored, recorder, errors, clock } = await given({ statuses: [504, 503, 429] });
  const counting = recorder();
  let isDone = false;
  void counting.record(canary, news).then(() => {
    isDone = true;
  });
  await eventually('the Event is sent', () => {
    clock.advance(10_000);
    return isDone;
  });
  expect([...stored.values()]).toMatchObject([{ ...news, count: 1 }]);
  await counting.record(canary, news);
  expect([...stored.values()]).toMatchObject([{ ...news, count: 2 }]);
  expect(errors).toEqual([]);
});

it('an Event that meets a conflict of a quota is sent again', async () => {
  const { stored, recorder, clock } = await given({ statuses: [409] });
  const outcome = recorder().record(canary, news);
  await eventually('the first attempt has failed', () => clock.nextInMs !== undefined);
  clock.advance(1_000);
  expect(await outcome).toBe('taken');
  expect([...stored.values()]).toMatchObject([{ ...news, count: 1 }]);
});

it('an Event of which no attempt had an answer is counted once when it is recorded again', async () => {
  const { stored, recorder, clock } = await given({ statuses: [503, 503, 503, 503] });
  const counting = recorder();
  const outcomes: string[] = [];
  void counting.record(canary, news).then((outcome) => outcomes.push(outcome));
  await eventually('the attempts are over', () => {
    clock.advance(15_000);
    return outcomes.length === 1;
  });
  expect([outcomes, await counting.record(canary, news, true)]).toEqual([['unanswered'], 'taken']);
  expect([...stored.values()]).toMatchObject([{ ...news, count: 1 }]);
});

it('no further attempt is made after a stop, nor after the last', async () => {
  const { recorder, errors, stopping, clock } = await given({ status: 503 });
  const waiting = recorder().record(canary, news);
  await eventually('the first attempt has failed', () => clock.nextInMs !== undefined);
  stopping.abort(new Error('stopped'));
  await waiting;
  expect(errors).toEqual([expect.objectContaining({ status: 503 })]);
});
