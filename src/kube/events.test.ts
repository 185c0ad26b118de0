import { afterEach, expect, it } from 'vitest';
import { handClock } from '../../test/build/clock.ts';
import { kubeServer, refuse, sendJson } from '../../test/build/kube-server.ts';
import { connectionTo } from './connect.ts';
import { createCluster } from './create-cluster.ts';
import { eventRecorder } from './events.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function given(answer: { status: number } = { status: 200 }) {
  const stored = new Map<string, Record<string, unknown>>();
  const server = await kubeServer(({ method, path, body }, response) => {
    if (answer.status !== 200) return refuse(response, answer.status, 'Forbidden');
    const sent = body === '' ? {} : JSON.parse(body);
    const name = method === 'POST' ? sent.metadata.name : path.split('/').at(-1);
    const known = stored.get(name);
    if (method === 'POST' && known !== undefined) return refuse(response, 409, 'AlreadyExists');
    if (method !== 'POST' && known === undefined) return refuse(response, 404, 'NotFound');
    stored.set(name, { ...known, ...sent });
    return sendJson(response, 200, stored.get(name));
  });
  const cluster = createCluster(connectionTo(server.url));
  open.push(
    () => cluster.close(),
    () => server.close(),
  );
  const errors: unknown[] = [];
  const recorder = () =>
    eventRecorder(cluster, { component: 'serin', instance: 'serin-0', clock: handClock(), onError: (error) => errors.push(error) });
  return { stored, recorder, errors };
}

const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: 'podinfo', namespace: 'test', uid: 'u1' } };
const news = { type: 'Normal', reason: 'WeightAdvanced', message: 'Canary weight is now 20%' } as const;

it('02-15.3.31, 05-V6: raises the count of the first Event for a repeat, also from another process and after it expired', async () => {
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

it('shortens a message to what the server takes', async () => {
  const { stored, recorder } = await given();
  await recorder().record(canary, { ...news, message: 'ü'.repeat(2_000) });
  const message = String([...stored.values()][0]?.message);
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
  expect(message.endsWith('ü…')).toBe(true);
});

it('never rejects: a refusal goes to onError', async () => {
  const { recorder, errors } = await given({ status: 403 });
  await expect(recorder().record(canary, news)).resolves.toBeUndefined();
  expect(errors).toEqual([expect.objectContaining({ status: 403 })]);
});
