import { expect, it } from 'vitest';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import { aDeployment } from '../../../test/scenarios/troubles/objects.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { timestamp } from '../../base/timestamp.ts';
import { clusterViews } from '../../dashboard/views/cluster-views.ts';
import type { Views } from '../../dashboard/views.ts';
import type { ReleaseView } from '../../dashboard/wire.ts';
import { dashboardCommand } from './dashboard-command.ts';

const session = () => {
  const canary = JSON.parse(JSON.stringify(initialized(aCanary({ stepWeight: 25 })).canary));
  const written: string[] = [];
  const output = raw({ write: (text: string) => written.push(text), note: () => undefined });
  return { cluster: raw(new HeldCluster([canary])), namespace: undefined, output, written };
};

it.each(['x', '-1', '65536', '1.5', ''])('--port %s is refused with the range of valid ports', async (port) => {
  await expect(dashboardCommand(session(), { port, meshProvider: 'istio' }, Promise.resolve())).rejects.toThrow(
    `--port ${port} must be a whole number from 0 to 65535`,
  );
});

it('prints one address, with the token, and ends when it is stopped', async () => {
  const { written, ...given } = session();
  expect(await dashboardCommand(given, { port: '0', meshProvider: 'istio' }, Promise.resolve())).toBe('done');
  expect(written).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/login\?token=[\w-]{43}\n$/)]);
});

it('a Canary that does not exist is a 404 in words, in every view', async () => {
  const views = clusterViews(session(), 'istio');
  const gone = { namespace: 'test', name: 'gone' };
  for (const view of ['history', 'difference'] satisfies (keyof Views)[])
    await expect(views[view](gone)).rejects.toMatchObject({ status: 404, message: expect.stringContaining('Canary gone not found') });
  await expect(views.journal(gone, 1)).rejects.toMatchObject({ status: 404 });
});

it('a release is shown when it is opened, and again after a change of its Canary', async () => {
  const given = session();
  const shown: ReleaseView[] = [];
  const stop = clusterViews(given, 'istio').follow(
    { namespace: 'test', name: 'podinfo' },
    (release) => shown.push(release),
    ({ message }) => expect.fail(message),
  );
  await expect.poll(() => shown.at(-1)?.phase).toBe('Initialized');
  const canary = await given.cluster.get({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: 'test', name: 'podinfo' });
  given.cluster.put({ ...canary, status: { ...canary.status, phase: 'Failed' } });
  await expect.poll(() => shown.at(-1)?.phase).toBe('Failed');
  stop();
  await expect.poll(() => given.cluster.watches).toBe(0);
});

it('a page has a bounded number of pods and events, the newest of them', async () => {
  const { cluster, ...given } = session();
  const labels = { app: 'podinfo' };
  const target = {
    ...aDeployment('test', 'podinfo'),
    spec: { ...specOf(aDeployment('test', 'podinfo')), selector: { matchLabels: labels } },
  };
  cluster.put(target);
  for (let nth = 0; nth < 300; nth += 1) {
    const metadata = { namespace: 'test', name: `x-${nth}` };
    cluster.put({ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, labels }, spec: { containers: [] } });
    const involvedObject = { kind: 'Canary', name: 'podinfo' };
    cluster.put({
      ...{ apiVersion: 'v1', kind: 'Event', metadata, involvedObject },
      message: `event ${nth}`,
      lastTimestamp: timestamp(nth * 1_000),
    });
  }
  const shown: ReleaseView[] = [];
  const views = clusterViews({ cluster, ...given }, 'istio');
  const stop = views.follow(
    { namespace: 'test', name: 'podinfo' },
    (release) => shown.push(release),
    ({ message }) => expect.fail(message),
  );
  await expect.poll(() => shown.length).toBeGreaterThan(0);
  stop();
  const { pods = [], events = [], hidden = [] } = shown[0] ?? {};
  expect([pods.length, events.length, events.at(-1)?.message]).toEqual([200, 50, 'event 299']);
  expect(hidden).toContain('100 further pods are not shown');
});

it.each<[what: string, forged: object, weights: number]>([
  ['20,000 weights', { weights: Array.from({ length: 20_000 }, (_, atMs) => ({ atMs, weight: 1 })) }, 0],
  ['weights that are texts', { weights: [{ atMs: 'x', weight: {} }] }, 0],
  ['weights of its own', { weights: [{ atMs: 1, weight: 20 }] }, 1],
])('a page of a Canary whose status has %s', async (_, forged, weights) => {
  const given = session();
  const canary = await given.cluster.get({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', namespace: 'test', name: 'podinfo' });
  const status = raw(canary).status;
  given.cluster.put({ ...canary, status: { ...status, release: { ...status.release, ...forged } } });
  const shown: ReleaseView[] = [];
  const views = clusterViews(given, 'istio');
  const stop = views.follow(
    { namespace: 'test', name: 'podinfo' },
    (release) => shown.push(release),
    ({ message }) => expect.fail(message),
  );
  await expect.poll(() => shown.at(-1)?.weights.length).toBe(weights);
  stop();
});
