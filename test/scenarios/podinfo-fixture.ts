import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Canary } from '../../src/api/canary.ts';
import { crds } from '../../src/api/crds.ts';
import { type KubeObject, refOf } from '../../src/api/kube-object.ts';
import { requestAnnotation } from '../../src/api/names.ts';
import { parseStatus } from '../../src/api/parse-status.ts';
import { readRequest } from '../../src/api/verb-request.ts';
import { startEmbeddedCluster } from '../../src/embedded/cluster.ts';
import { startKnative } from '../../src/embedded/knative/index.ts';
import { knativeCrds } from '../../src/embedded/routing-crds.ts';
import { withOutcome } from '../../src/engine/request-outcome.ts';
import { isAlreadyExists, isNotFound } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { renderTemplateRevision } from '../../src/workloads/anchor.ts';
import { deployment } from '../../src/workloads/deployment/deployment.ts';
import { packJournal, renderJournal } from '../../src/workloads/journal-record.ts';
import { recording } from '../fakes/sample-journal.ts';
import { aCanary, initialized } from '../fakes/world.ts';
import { eventually } from './eventually.ts';
import { knativeApplication } from './kinds/knative.ts';
import { aDeployment } from './troubles/objects.ts';
import { nowMs } from './world.ts';

export interface PodinfoFixture {
  readonly cluster: KubeCluster;
  /** Removed with the fixture; a test may put files there. */
  readonly folder: string;
  readonly kubeconfigFile: string;
  stop(): Promise<void>;
}

/**
 * An embedded cluster with the Canary `podinfo` in `test`, whose second version has just been promoted, and a Knative Service of that name without a Canary.
 * Viewing them needs no controller: a fake one answers requests and accepts them all.
 */
export async function startPodinfoFixture(): Promise<PodinfoFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'serin-podinfo-'));
  const embedded = await startEmbeddedCluster();
  const { cluster } = embedded;
  const kubeconfigFile = join(folder, 'kubeconfig');
  writeFileSync(kubeconfigFile, embedded.kubeconfig);
  for (const crd of [...crds(), ...knativeCrds()]) await cluster.apply(crd);
  const knative = startKnative(cluster);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'test' } });
  await makeCanary(cluster);
  await knativeApplication(cluster, 'test').create();
  const answering = cluster.watch(
    { apiVersion: 'flagger.app/v1beta1', kind: 'Canary' },
    { onEvent: ({ object }) => void answer(cluster, object), onList: (items) => items.map((one) => answer(cluster, one)) },
  );
  return {
    cluster,
    folder,
    kubeconfigFile,
    async stop() {
      answering.stop();
      knative.stop();
      await embedded.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function makeCanary(cluster: KubeCluster): Promise<void> {
  const target = await cluster.create(aDeployment('test', 'podinfo'));
  const world = initialized(aCanary({ stepWeight: 50 }));
  const revision = deployment.revision(target);
  const recorded = recording(world);
  world.pushUntil(revision, ({ phase }) => phase === 'Succeeded');
  const { metadata, status, ...rest } = JSON.parse(JSON.stringify(world.canary));
  const canary = { ...rest, metadata: { name: metadata.name, namespace: metadata.namespace } };
  // The definition exists for some time before it is served.
  const stored = await eventually('Canaries are served', async () => {
    try {
      return await cluster.create(canary);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (isAlreadyExists(error)) return cluster.get(refOf(canary));
      throw error;
    }
  });
  if (stored === undefined) throw new Error('Canary podinfo not found');
  const release = { ...status.release, targetUid: target.metadata.uid, observedGeneration: target.metadata.generation };
  const answer = await cluster.patch(refOf(stored), { status: { ...status, release } }, { subresource: 'status' });
  const identity = { namespace: 'test', name: stored.metadata.name, uid: String(answer.metadata.uid) };
  const part = { ...recorded(), canary: identity };
  const journal = renderJournal(part, packJournal(part) ?? '', { name: '', uid: '' });
  // Without an owner: it does not exist, and the garbage collector would delete the journal.
  await cluster.create({ ...journal, metadata: { ...journal.metadata, ownerReferences: [] } });
  await makePrimary(
    cluster,
    target,
    { ...world.canary, metadata: { ...world.canary.metadata, uid: String(answer.metadata.uid) } },
    revision,
  );
}

async function makePrimary(cluster: KubeCluster, target: KubeObject, canary: Canary, revision: string): Promise<void> {
  const options = {
    selector: { key: 'app', target: 'podinfo', primary: 'podinfo-primary' },
    includeLabelPrefix: [],
    selectorLabels: ['app'],
    revision,
    replicas: 1,
  };
  await cluster.create(deployment.renderPrimary(canary, target, options));
  const record = renderTemplateRevision(canary, deployment.primaryTemplate(canary, target, options), revision, 2);
  await cluster.create(record);
}

/** Acts as a controller that accepts every request. */
async function answer(cluster: KubeCluster, canary: KubeObject): Promise<void> {
  const text = canary.metadata.annotations?.[requestAnnotation];
  const release = parseStatus(canary.status)?.release;
  if (text === undefined || release === undefined) return;
  const request = readRequest(text);
  if (release.requests?.some(({ id }) => id === request.id)) return;
  const status = { release: withOutcome(release, request, nowMs()) };
  await cluster.patch(refOf(canary), { status }, { subresource: 'status' });
}
