import type { KubeObject } from '../../api/kube-object.ts';

/** The two calls of a kubelet and scheduler that `Cluster` has no verb for. */
export interface PodCalls {
  /** Assigns a pod to a node: POST of the pod's `binding` subresource; a real server refuses a patch of `spec.nodeName`. */
  bind(pod: KubeObject, nodeName: string): Promise<void>;
  /** Deletes with `gracePeriodSeconds: 0`, and only this very pod (precondition on its uid). */
  forceDelete(pod: KubeObject): Promise<void>;
}

type Request = (url: string, init: { method: string; headers: Record<string, string>; body: string }) => Promise<Response>;

/** Over plain HTTP. A server that wants credentials needs its own `request`, which adds them. */
export function httpPodCalls(apiUrl: string, request: Request = fetch): PodCalls {
  const send = async (method: string, pod: KubeObject, suffix: string, body: object): Promise<number> => {
    const { namespace, name } = pod.metadata;
    const url = `${apiUrl}/api/v1/namespaces/${namespace}/pods/${name}${suffix}`;
    const response = await request(url, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok && response.status !== 404 && response.status !== 409) throw new Error(`${method} ${url}: ${response.status} ${text}`);
    return response.status;
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
