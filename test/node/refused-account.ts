import { type RequestOptions, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Connection, loadConnection } from '../../src/kube/connect.ts';
import { administrator } from './installed.ts';
import type { RealNode } from './real-node.ts';

const TOO_MANY = 429;
/** A request without an answer for so long is under way. */
const UNDER_WAY_MS = 500;
const WITHIN_MS = 30_000;
const UNFINISHED_BYTES = 1_000;

/**
 * The API server refuses all requests of a namespace's accounts with 429 for a while, by its own priority and fairness. Even a level without seats admits one
 * request while no other is in progress: a request whose body never ends takes that place. Throws if requests were not refused, at the beginning or at the end.
 */
export async function refuseAccounts(node: RealNode, namespace: string, forMs: number): Promise<void> {
  const name = `refused-${namespace}`;
  const connection = await loadConnection({ kubeconfig: node.plane.adminKubeconfigFile });
  const options: RequestOptions = {
    ...connection.tls,
    headers: { ...(await connection.headers()), 'impersonate-user': `system:serviceaccount:${namespace}:${name}` },
  };
  await administrator(node).apply(levelWithoutSeats(name), flowOf(name, namespace));
  try {
    const unfinished = await takePlace(connection, options);
    try {
      await sleep(forMs);
      const code = await probe(connection, options);
      if (code !== TOO_MANY) throw new Error(`the API server answers ${code} to an account that it was to refuse until now`);
    } finally {
      unfinished.destroy();
    }
  } finally {
    await node.kubectl('delete', 'flowschema,prioritylevelconfiguration', name);
  }
}

/** Tries again until the server knows of the level, and refuses what comes beside the request. */
async function takePlace(connection: Connection, options: RequestOptions): Promise<{ destroy(): unknown }> {
  const deadlineMs = performance.now() + WITHIN_MS;
  while (performance.now() < deadlineMs) {
    const unfinished = request(`${connection.baseUrl}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`, {
      ...options,
      method: 'POST',
      headers: { ...options.headers, 'content-type': 'application/json', 'content-length': UNFINISHED_BYTES },
    });
    let isOver = false;
    unfinished.on('error', () => (isOver = true));
    unfinished.on('response', () => (isOver = true));
    unfinished.write('{');
    await sleep(UNDER_WAY_MS);
    if (!isOver && (await probe(connection, options)) === TOO_MANY) return unfinished;
    unfinished.destroy();
  }
  throw new Error('the API server does not refuse the requests of an account: is its priority and fairness switched on?');
}

/** Code of the answer to a request of the account. */
function probe(connection: Connection, options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(`${connection.baseUrl}/api/v1/namespaces/default/configmaps/probe`, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}

const levelWithoutSeats = (name: string) => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name },
  spec: {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } },
  },
});

const flowOf = (name: string, namespace: string) => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name },
  spec: {
    priorityLevelConfiguration: { name },
    matchingPrecedence: 2,
    rules: [
      {
        subjects: [{ kind: 'ServiceAccount', serviceAccount: { name: '*', namespace } }],
        resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
      },
    ],
  },
});
