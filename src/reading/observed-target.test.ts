import { describe, expect, it } from 'vitest';
import { HeldCluster } from '../../test/fakes/held-cluster.ts';
import { aCanary, initialized } from '../../test/fakes/world.ts';
import { eventually } from '../../test/scenarios/eventually.ts';
import { knativeApiVersion, knativeRevisionId } from '../api/knative.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { waitCommand } from '../cli/canaries/wait-command.ts';
import { Output } from '../cli/output/output.ts';
import { reportsRevision } from './observed-target.ts';

const UID = 'ksvc-1';
function aService(generation: number, status: object): KubeObject {
  return {
    apiVersion: knativeApiVersion,
    kind: 'Service',
    metadata: { name: 'podinfo', namespace: 'test', uid: UID, generation },
    spec: {},
    status,
  };
}
const at = (generation: number, name: string) => ({ observedGeneration: generation, latestCreatedRevisionName: name });

/** A Canary of a Knative Service whose Revision of this name has just been promoted. */
function promoted(name: string): KubeObject {
  const targetRef = { apiVersion: knativeApiVersion, kind: 'Service' as const, name: 'podinfo' };
  const world = initialized(aCanary({ stepWeight: 50 }, { targetRef, provider: 'knative' }));
  world.pushUntil(knativeRevisionId(name, undefined), ({ phase }) => phase === 'Succeeded');
  const { release } = world.canary.status ?? {};
  // Recorded for a kind whose generation does not follow its pods.
  const status = { ...world.canary.status, release: { ...release, targetUid: UID, observedGeneration: 0 } };
  return JSON.parse(JSON.stringify({ ...world.canary, status }));
}

function waiting(cluster: HeldCluster, timeout: string) {
  const said: string[] = [];
  const streams = { out: { write: (text: string) => said.push(text) }, err: { write: () => undefined } };
  const session = { cluster, namespace: 'test', output: new Output({ output: 'json' }, {}, streams) };
  return waitCommand(session, 'podinfo', { for: 'succeeded', revision: 'target', timeout });
}

describe('the revision that a Knative Service holds', () => {
  it.each([
    { title: 'known', status: at(2, 'podinfo-00002'), isReported: true },
    { title: 'not known: the write was not seen', status: at(1, 'podinfo-00001'), isReported: false },
    { title: 'not known: the status has none', status: { observedGeneration: 2 }, isReported: false },
    {
      title: 'not known: the Configuration is behind',
      status: { ...at(2, 'podinfo-00001'), conditions: [{ type: 'ConfigurationsReady', status: 'Unknown', reason: 'OutOfDate' }] },
      isReported: false,
    },
  ])('is $title', ({ status, isReported }) => expect(reportsRevision(aService(2, status))).toBe(isReported));

  it('is that of other kinds at once', () => {
    expect(reportsRevision({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'podinfo', generation: 2 } })).toBe(true);
    expect(reportsRevision({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'podinfo', generation: 2 } })).toBe(true);
  });

  it('wait --revision=target ends when it has been promoted', async () => {
    const cluster = new HeldCluster([promoted('podinfo-00002'), aService(2, at(2, 'podinfo-00002'))]);
    expect(await waiting(cluster, '1m')).toBe('done');
  });

  it('wait --revision=target that comes right after the write does not end with the revision before', async () => {
    const cluster = new HeldCluster([promoted('podinfo-00001'), aService(2, at(1, 'podinfo-00001'))]);
    const ended = waiting(cluster, '1m');
    await eventually('it waits', () => cluster.watches > 0);
    cluster.put(aService(2, at(2, 'podinfo-00002')));
    cluster.put(promoted('podinfo-00002'));
    expect(await ended).toBe('done');
  });

  it('wait --revision=target has its bound also while Knative reports nothing', async () => {
    const cluster = new HeldCluster([promoted('podinfo-00001'), aService(2, at(1, 'podinfo-00001'))]);
    await expect(waiting(cluster, '10ms')).rejects.toThrow(
      'Service podinfo does not report its latest revision: check that Knative is running',
    );
    expect(cluster.watches).toBe(0);
  });
});
