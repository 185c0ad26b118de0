import { type KubeObject, refOf } from '../../api/kube-object.ts';
import type { KubeCluster } from '../../kube/kube-cluster.ts';
import { callHttp } from '../http-call.ts';
import { realWorld, type World } from '../world.ts';

/** The two calls of a kubelet and scheduler that `Cluster` has no verb for. */
export interface PodCalls {
  /** Assigns a pod to a node: POST of the pod's `binding` subresource; a real server refuses a patch of `spec.nodeName`. */
  bind(pod: KubeObject, nodeName: string): Promise<void>;
  /** Deletes with `gracePeriodSeconds: 0`, and only this very pod (precondition on its uid). */
  forceDelete(pod: KubeObject): Promise<void>;
}

const ANSWER_WITHIN_MS = 60_000;

/** Over plain HTTP, without credentials. */
export function httpPodCalls(apiUrl: string, { clock, network }: World = realWorld): PodCalls {
  const agent = network.agent({ keepAlive: true });
  const send = async (method: string, pod: KubeObject, suffix: string, body: object): Promise<void> => {
    const { namespace, name } = pod.metadata;
    const url = `${apiUrl}/api/v1/namespaces/${namespace}/pods/${name}${suffix}`;
    const call = { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const { status, text } = await callHttp(url, { ...call, agent, clock, timeoutMs: ANSWER_WITHIN_MS });
    if (status >= 300 && status !== 404 && status !== 409) throw new Error(`${method} ${url}: ${status} ${text}`);
  };
  return {
    async bind(pod, nodeName) {
      const { name, namespace } = pod.metadata;
      const target = { apiVersion: 'v1', kind: 'Node', name: nodeName };
      await send('POST', pod, '/binding', { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace }, target });
    },
    async forceDelete(pod) {
      const preconditions = { uid: pod.metadata.uid };
      await send('DELETE', pod, '', { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions });
    },
  };
}

/** By a client that may bind and delete pods. */
export const podCallsBy = (cluster: Pick<KubeCluster, 'bind' | 'forceDelete'>): PodCalls => ({
  bind: (pod, nodeName) => cluster.bind(refOf(pod), nodeName),
  forceDelete: (pod) => cluster.forceDelete(refOf(pod)),
});
