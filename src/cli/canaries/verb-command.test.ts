import { expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { requestAnnotation } from '../../api/names.ts';
import { type VerbRequest, writeRequest } from '../../api/verb-request.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { recordRequest } from '../../reading/request-verb.ts';

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
