import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { HeldCluster } from '../../../test/fakes/held-cluster.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { requestAnnotation } from '../../api/names.ts';
import { type VerbRequest, writeRequest } from '../../api/verb-request.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { recordRequest } from '../../reading/request-verb.ts';
import { Output } from '../output/output.ts';
import type { Session } from './session.ts';
import { verbCommand } from './verb-command.ts';

const asked = (id: string, by: string): VerbRequest => ({ verb: 'promote', id, by, atMs: 1_000 });

function aCanary(resourceVersion: string, request?: VerbRequest, answered: readonly string[] = []): KubeObject {
  const annotations = request ? { [requestAnnotation]: writeRequest(request) } : {};
  const requests = answered.map((id) => ({ id, outcome: 'carriedOut', atMs: 1_000 }));
  const release = {
    run: 1,
    revision: 's1:a',
    targetUid: 't',
    observedGeneration: 1,
    step: 'resting',
    routes: { kind: 'weighted', canary: 0 },
  };
  const memory = { ...release, failedChecks: 0, iterations: 0, startedMs: 0, stepStartedMs: 0, requests };
  return {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'podinfo', namespace: 'test', uid: 'u', resourceVersion, annotations },
    status: { phase: 'Succeeded', failedChecks: 0, canaryWeight: 0, iterations: 0, release: memory },
  };
}

it('E70: a request that came between the look and the write is waited for, and not overwritten', async () => {
  const before = aCanary('1');
  let now = aCanary('2', asked('theirs', 'bob'));
  const seen: string[] = [];
  const cluster: Pick<Cluster, 'get' | 'patch' | 'watch'> = {
    get: async () => now,
    patch: async (_, patch) => {
      seen.push(`ours is written to version ${'metadata' in patch ? Object(patch.metadata).resourceVersion : ''}`);
      return now;
    },
    watch: (_, handler) => {
      seen.push('theirs is waited for');
      now = aCanary('3', asked('theirs', 'bob'), ['theirs']);
      queueMicrotask(() => handler.onList([now]));
      return { synced: Promise.resolve(), stop: () => undefined, ageMs: () => 0, restarts: 0 };
    },
  };
  await recordRequest(cluster, before, asked('ours', 'ann'), { clock: handClock(), untilMs: 60_000 });
  expect(seen).toEqual(['theirs is waited for', 'ours is written to version 3']);
});

/** A cluster that records a request, and whose Lease has no holder. */
class UnheldCluster extends HeldCluster {
  create = async (object: KubeObject) => object;
  patch = async (): Promise<KubeObject> => aCanary('2', asked('ours', 'ann'));
}

const unheld: KubeObject = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'flagger-leader-election', namespace: 'serin' },
  spec: { holderIdentity: '', leaseDurationSeconds: 15, renewTime: '2025-12-31T23:00:00.000000Z' },
};

it.each([
  {
    where: 'the last replica released its Lease',
    leases: [unheld],
    note: 'No answer yet: no replica holds lease serin/flagger-leader-election since 2025-12-31T23:00:00Z.',
    look: 'kubectl describe lease flagger-leader-election -n serin',
  },
  {
    where: 'no Lease exists',
    leases: [],
    note: 'No answer yet: no Lease of the cluster names a controller; check that Serin is installed and runs.',
    look: 'waiting for up to 1m',
  },
])('a verb says after five seconds, and once, why no controller has answered: $where', async ({ leases, note, look }) => {
  const clock = handClock();
  const notes: string[] = [];
  const said = () => notes.join(' ').replaceAll(/\s+/g, ' ');
  const streams = { out: { write: () => undefined }, err: { write: (text: string) => void notes.push(text) } };
  const cluster = new UnheldCluster([aCanary('1'), ...leases]) as unknown as Session['cluster'];
  const session: Session = { cluster, namespace: 'test', output: new Output({}, {}, streams), clock };
  const ended = verbCommand(session, 'promote', 'podinfo', { wait: true, timeout: '1m' });
  await expect.poll(() => clock.pending).toBe(2);
  clock.advance(4_999);
  await new Promise(setImmediate);
  expect(notes).toEqual([]);
  clock.advance(1);
  await expect.poll(said).toContain(look);
  expect(said()).toContain(note);
  const { length } = notes;
  clock.advance(60_000);
  expect(await ended).toBe('timedOut');
  expect(notes).toHaveLength(length);
});
