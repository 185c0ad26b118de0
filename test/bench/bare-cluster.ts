import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crds } from '../../src/api/crds.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { refOf } from '../../src/api/kube-object.ts';
import { startApiServer } from '../../src/embedded/apiserver/index.ts';
import { routingCrds } from '../../src/embedded/routing-crds.ts';
import { realWorld, type World } from '../../src/embedded/world.ts';
import { connectionTo } from '../../src/kube/connect.ts';
import { createCluster } from '../../src/kube/create-cluster.ts';
import { isNotFound } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import type { Raw } from '../fakes/raw.ts';

/** On a busy machine an answer is late, and never lost. */
const ANSWER_WITHIN_MS = 60_000;

export interface AnsweredRequest {
  verb: string;
  path: string;
  status: number;
  /** Time by the world's monotonic clock. */
  atMs: number;
}

export interface BareCluster {
  readonly apiUrl: string;
  readonly kubeconfigFile: string;
  readonly cluster: KubeCluster;
  requestCounts(userAgent?: string): Record<string, number>;
  /** `verb resource` of each request of the controller that was answered, in the order of the answers. */
  readonly answered: readonly string[];
  /** The same requests with their paths. */
  readonly paths: readonly AnsweredRequest[];
  /** Drops the answered requests so far. */
  forget(): void;
  /** Every object, by store (`group/plural`). */
  snapshot(): Record<string, KubeObject[]>;
  stop(): Promise<void>;
}

/**
 * The embedded API server without pods: a Deployment is available with its first write. A thousand applications with pods would cost this machine more than the
 * measured controller. With `oneByOne`, each pod is a status of its own, as with pods that start slowly.
 */
export async function startBareCluster({
  oneByOne = false,
  world = realWorld,
  watchWindow,
}: {
  oneByOne?: boolean;
  world?: World;
  /** Changes that a watch can lag behind. */
  watchWindow?: number;
} = {}): Promise<BareCluster> {
  const { clock, random, network } = world;
  const answered: string[] = [];
  const paths: AnsweredRequest[] = [];
  const server = await startApiServer({
    world,
    ...(watchWindow === undefined ? {} : { watchWindow }),
    onRequest: ({ userAgent, verb, path, status }) => {
      if (userAgent !== 'serin-controller') return;
      answered.push(`${verb} ${resourceIn(path)}`);
      paths.push({ verb, path, status, atMs: clock.monotonicMs() });
    },
  });
  const connection = { ...connectionTo(server.url, { userAgent: 'serin-bench' }), agent: network.agent({ keepAlive: true }) };
  const cluster = createCluster(connection, { requestTimeoutMs: ANSWER_WITHIN_MS, clock, random });
  for (const crd of [...crds(), ...routingCrds()]) await cluster.create(crd);
  let isStopping = false;
  const settle = (object: KubeObject): void => {
    const status = availableStatus(object, oneByOne ? 1 : Number.POSITIVE_INFINITY);
    if (status === undefined) return;
    cluster.patch(refOf(object), { status }, { subresource: 'status' }).catch((error: unknown) => {
      // A request that took too long on a busy machine is tried again; a deleted Deployment needs nothing.
      if (!isStopping && !isNotFound(error)) settle(object);
    });
  };
  const deployments = cluster.watch(
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { onEvent: ({ type, object }) => type !== 'DELETED' && settle(object), onList: (items) => items.forEach(settle) },
  );
  await deployments.synced;
  const folder = mkdtempSync(join(tmpdir(), 'serin-bench-'));
  const kubeconfigFile = join(folder, 'kubeconfig');
  writeFileSync(kubeconfigFile, server.kubeconfig());
  return {
    apiUrl: server.url,
    kubeconfigFile,
    cluster,
    requestCounts: server.requestCounts,
    answered,
    paths,
    forget() {
      answered.length = 0;
      paths.length = 0;
    },
    snapshot: server.snapshot,
    async stop() {
      isStopping = true;
      cluster.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Next status of a Deployment controller, with at most `mostMore` more pods. `undefined` if all pods are available. */
function availableStatus({ metadata, spec, status }: Raw, mostMore: number): object | undefined {
  const wanted: number = spec.replicas ?? 1;
  const isObserved = status?.observedGeneration === metadata.generation;
  const available: number = status?.availableReplicas ?? 0;
  if (isObserved && available === wanted) return undefined;
  const updated = isObserved ? wanted : 0;
  const ready = isObserved ? Math.min(wanted, available + mostMore) : mostMore > wanted ? wanted : 0;
  return {
    observedGeneration: metadata.generation,
    replicas: wanted,
    updatedReplicas: Math.max(updated, ready),
    readyReplicas: ready,
    availableReplicas: ready,
  };
}

/** `canaries/status` of `/apis/flagger.app/v1beta1/namespaces/a/canaries/b/status?x=y`. */
export function resourceIn(path: string): string {
  const parts = (path.split('?')[0] ?? '').split('/').slice(1);
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const [plural, , subresource] = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  return subresource === undefined ? (plural ?? '') : `${plural}/${subresource}`;
}
