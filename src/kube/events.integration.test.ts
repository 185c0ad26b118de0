import { afterEach, expect, it } from 'vitest';
import { handClock } from '../../test/fakes/clock.ts';
import { kubeServer, refuse, sendJson } from '../../test/fakes/kube-server.ts';
import { raw } from '../../test/fakes/raw.ts';
import { eventually } from '../../test/scenarios/eventually.ts';
import type { KubeObject } from '../api/kube-object.ts';
import type { Cluster } from './cluster.ts';
import { connectionTo } from './connect.ts';
import { createCluster } from './create-cluster.ts';
import { ApiError } from './errors.ts';
import { eventRecorder } from './events.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/**
 * `status` answers each request, and `listStatus` each list; `statuses` answers the first others, which are stored all the same. `onList` is called when a
 * list has been answered or refused.
 */
async function given({
  status = 200,
  listStatus = 200,
  statuses = [],
  onList,
}: {
  status?: number;
  listStatus?: number;
  statuses?: number[];
  onList?: () => unknown;
} = {}) {
  const stored = new Map<string, Record<string, unknown>>();
  const asked: string[] = [];
  const server = await kubeServer(({ method, path, query, body }, response) => {
    const isList = method === 'GET' && path.endsWith('/events');
    asked.push(isList ? `LIST ${query.get('fieldSelector')}` : method);
    if (isList) {
      const from = Number(query.get('continue'));
      const to = from + Number(query.get('limit'));
      const all = [...stored.values()].filter((event) => raw(event).metadata.namespace === path.split('/').at(-2));
      if (listStatus !== 200) refuse(response, listStatus, 'Forbidden');
      else sendJson(response, 200, { metadata: { continue: to < all.length ? String(to) : '' }, items: all.slice(from, to) });
      return onList?.();
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

it.each([
  { listStatus: 403, because: 'the right to list them, as with a role of an earlier version' },
  { listStatus: 504, because: 'an answer to the list' },
])('after a restart, the counts of Events rise also without $because', async ({ listStatus }) => {
  const { stored, asked, recorder, errors } = await given({ listStatus });
  const before = recorder();
  for (const text of texts) await before.record(canary, text);
  asked.length = 0;
  const after = recorder();
  for (const text of texts) await after.record(canary, text);
  expect([asked.filter((one) => one.startsWith('LIST')).length, asked.length, countsIn(stored), errors]).toEqual([1, 10, [2, 2, 2], []]);
});

it('after a restart, a text that is recorded twice at once is counted twice', async () => {
  const { stored, recorder, errors } = await given();
  const before = recorder();
  for (let times = 0; times < 3; times += 1) await before.record(canary, news);
  const after = recorder();
  await Promise.all([after.record(canary, news), after.record(canary, news)]);
  await after.record(canary, news);
  expect([countsIn(stored), errors]).toEqual([[6], []]);
});

it('a new text that is recorded twice at once is counted twice', async () => {
  const { stored, recorder, errors } = await given();
  const counting = recorder();
  await Promise.all([counting.record(canary, news), counting.record(canary, news)]);
  expect([countsIn(stored), errors]).toEqual([[2], []]);
});

it.each([200, 403])('an Event that expires while the Events are listed (%i) is created again', async (listStatus) => {
  const expiring = { isDue: false };
  const { stored, asked, recorder, errors } = await given({
    listStatus,
    onList: () => expiring.isDue && stored.clear(),
  });
  await recorder().record(canary, news);
  asked.length = 0;
  expiring.isDue = true;
  const outcome = await recorder().record(canary, news);
  expect([outcome, asked, countsIn(stored), errors]).toEqual(['taken', ['POST', 'LIST source=serin', 'PATCH', 'POST'], [1], []]);
});

it('the Events of a namespace are listed page by page', async () => {
  const { stored, asked, recorder } = await given();
  for (let index = 0; index < 600; index += 1) {
    const name = `other.${index}`;
    stored.set(name, { metadata: { name, namespace: 'test' }, count: 1 });
  }
  const before = recorder();
  for (const text of texts) await before.record(canary, text);
  asked.length = 0;
  const after = recorder();
  for (const text of texts) await after.record(canary, text);
  expect(asked).toEqual(['POST', 'LIST source=serin', 'LIST source=serin', 'PATCH', 'PATCH', 'PATCH']);
});

it('an Event of another namespace with the same name changes no count', async () => {
  const { stored, recorder } = await given();
  const elsewhere = { ...canary, metadata: { ...canary.metadata, namespace: 'other' } };
  await recorder().record(canary, news);
  await recorder().record(elsewhere, news);
  const [name = ''] = stored.keys();
  stored.set('copied', { metadata: { name, namespace: 'other' }, count: 500 });
  const after = recorder();
  await after.record(elsewhere, news);
  await after.record(canary, news);
  expect(countsIn(stored)).toEqual([2, 2, 500]);
});

it('a list does not lower the count of an Event that this process has raised meanwhile', async () => {
  const { stored, recorder } = await given();
  await recorder().record(canary, news);
  const after = recorder();
  const own = { ...news, message: 'new' };
  await after.record(canary, own);
  await after.record(canary, own);
  const [, name = ''] = stored.keys();
  stored.set(name, { ...stored.get(name), count: 1 }); // as a list that was read before the repeat
  await after.record(canary, news);
  await after.record(canary, own);
  expect(countsIn(stored)).toEqual([2, 3]);
});

it('of a list, the counts of ten thousand Events are remembered', async () => {
  const of = (index: number) => ({ ...canary, metadata: { name: `podinfo-${index}`, namespace: 'test', uid: `u${index}` } });
  const asked: string[] = [];
  const known = new Set<string>();
  const cluster = {
    async create({ metadata }: KubeObject) {
      asked.push('POST');
      if (known.has(metadata.name)) throw new ApiError('it exists', { status: 409, reason: 'AlreadyExists' });
      known.add(metadata.name);
      return {};
    },
    async patch() {
      asked.push('PATCH');
      return { count: 1 };
    },
    list: async () => ({ items: [...known].map((name) => ({ apiVersion: 'v1', kind: 'Event', metadata: { name }, count: 1 })) }),
  } as unknown as Cluster;
  const recorder = () => eventRecorder(cluster, { component: 'serin', instance: 'serin-0', clock: handClock() });
  const before = recorder();
  for (let index = 0; index < 10_500; index += 1) await before.record(of(index), news);
  const after = recorder();
  const costOf = async (index: number): Promise<number> => {
    asked.length = 0;
    await after.record(of(index), news);
    return asked.length;
  };
  expect([await costOf(0), await costOf(1), await costOf(10_499)]).toEqual([3, 3, 1]);
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

it('the count of a listed Event is raised once when its repeat has no answer', async () => {
  const statuses: number[] = [];
  const { stored, recorder, clock } = await given({ statuses });
  const before = recorder();
  await before.record(canary, news);
  await before.record(canary, news);
  statuses.push(503);
  const outcome = recorder().record(canary, news);
  await eventually('the first attempt has failed', () => clock.nextInMs !== undefined);
  clock.advance(1_000);
  expect([await outcome, countsIn(stored)]).toEqual(['taken', [3]]);
});

it('an expired Event whose new creation has no answer has the count 1', async () => {
  const statuses: number[] = [];
  const { stored, recorder, clock } = await given({ statuses });
  const counting = recorder();
  await counting.record(canary, news);
  await counting.record(canary, news);
  stored.clear();
  statuses.push(503);
  const outcome = counting.record(canary, news);
  await eventually('the first attempt has failed', () => clock.nextInMs !== undefined);
  clock.advance(1_000);
  expect([await outcome, countsIn(stored)]).toEqual(['taken', [1]]);
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
