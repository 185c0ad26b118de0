import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { isConflict, RequestTimeoutError, UnreachableError } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { container, forEachIndex } from './applications.ts';

const NAMESPACE = 'foreign';
/** Size of tokens and certificates. */
const SECRET_BYTES = 1_000;
const BURST_EVERY_MS = 200;
/** Answers of a busy server are waited for: more than this at once would only queue. */
const AT_ONCE = 50;
const TRIES = 5;

/** Creates objects that fill a cluster and belong to no Canary. */
export async function createForeignObjects(cluster: KubeCluster, deployments: number, secrets: number): Promise<void> {
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  await forEachIndex(deployments, (index) => made(cluster, foreignDeployment(index)), AT_ONCE);
  const data = { token: Buffer.alloc(SECRET_BYTES, 'x').toString('base64') };
  const secret = (index: number) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name: nameOf(index), namespace: NAMESPACE }, data });
  await forEachIndex(secrets, (index) => made(cluster, secret(index)), AT_ONCE);
}

/** Rewrites them one after the other, so many times a second as the server can follow; the returned function ends it and returns how many were. */
export function changeSecrets(cluster: KubeCluster, secrets: number, timesASecond: number): () => Promise<number> {
  const stopping = new AbortController();
  let changed = 0;
  const change = () => {
    const ref = { apiVersion: 'v1', kind: 'Secret', name: nameOf(changed % secrets), namespace: NAMESPACE };
    changed += 1;
    return cluster.patch(ref, { data: { round: Buffer.from(String(changed)).toString('base64') } });
  };
  const changing = (async () => {
    const startedAtMs = performance.now();
    while (!stopping.signal.aborted) {
      const due = Math.floor(((performance.now() - startedAtMs) / 1000) * timesASecond) - changed;
      await Promise.all(Array.from({ length: Math.min(due, AT_ONCE) }, change));
      await sleep(BURST_EVERY_MS);
    }
  })();
  return async () => {
    stopping.abort();
    await changing;
    return changed;
  };
}

/** Among tens of thousands of requests, a connection can end during a write; the next try shows whether the object was created. */
async function made(cluster: KubeCluster, object: KubeObject, tries = TRIES): Promise<void> {
  try {
    await cluster.create(object);
  } catch (error) {
    if (tries < TRIES && isConflict(error)) return;
    if (tries === 1 || !(error instanceof UnreachableError || error instanceof RequestTimeoutError)) throw error;
    await made(cluster, object, tries - 1);
  }
}

const nameOf = (index: number): string => `foreign-${String(index).padStart(5, '0')}`;

function foreignDeployment(index: number): KubeObject {
  const labels = { app: nameOf(index) };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: nameOf(index), namespace: NAMESPACE, labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container('1')] } } },
  };
}
