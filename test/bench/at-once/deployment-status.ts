import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import { isNotFound } from '../../../src/kube/errors.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import type { Raw } from '../../fakes/raw.ts';

const AT_ONCE = 16;
const AGAIN_AFTER_MS = 1_000;
/** Source: Kubernetes documentation, "Rollout history". */
const REVISION = 'deployment.kubernetes.io/revision';

export interface DeploymentStatus {
  readonly synced: Promise<unknown>;
  /** Every change seen so far has its status. */
  isIdle(): boolean;
  stop(): void;
}

/**
 * Replaces the Deployment controller and kubelets: all requested pods are ready as soon as a change is seen. One write for each change carries the template's
 * number and the status, as the real controller's does; without ReplicaSets and pods.
 */
export function startDeploymentStatus(cluster: KubeCluster): DeploymentStatus {
  const waiting = new Map<string, KubeObject>();
  const templates = new Map<string, { text: string; number: number }>();
  let underWay = 0;
  let isStopped = false;
  const numberOf = ({ metadata, spec }: Raw): number => {
    const text = JSON.stringify(spec.template);
    const known = templates.get(metadata.uid);
    if (known?.text === text) return known.number;
    const number = (known?.number ?? Number(metadata.annotations?.[REVISION] ?? 0)) + 1;
    templates.set(metadata.uid, { text, number });
    return number;
  };
  const learn = (deployment: KubeObject): void => {
    const { metadata, status }: Raw = deployment;
    const key = `${metadata.namespace}/${metadata.name}`;
    if (status?.observedGeneration === metadata.generation) waiting.delete(key);
    else waiting.set(key, deployment);
    writeNext();
  };
  const writeNext = (): void => {
    while (underWay < AT_ONCE && !isStopped) {
      const [key, deployment] = waiting.entries().next().value ?? [];
      if (key === undefined || deployment === undefined) return;
      waiting.delete(key);
      underWay += 1;
      void write(deployment).finally(() => {
        underWay -= 1;
        writeNext();
      });
    }
  };
  const write = async (deployment: KubeObject): Promise<void> => {
    const number = numberOf(deployment);
    try {
      const patch = { metadata: { annotations: { [REVISION]: String(number) } }, status: allReady(deployment) };
      await cluster.patch(refOf(deployment), patch, { subresource: 'status' });
    } catch (error) {
      if (isStopped || isNotFound(error)) return;
      setTimeout(() => learn(deployment), AGAIN_AFTER_MS).unref();
    }
  };
  const handle = cluster.watch(
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { onEvent: ({ type, object }) => type !== 'DELETED' && learn(object), onList: (items) => items.forEach(learn) },
  );
  return {
    synced: handle.synced,
    isIdle: () => underWay === 0 && waiting.size === 0,
    stop() {
      isStopped = true;
      handle.stop();
    },
  };
}

function allReady({ metadata, spec }: Raw): object {
  const replicas: number = spec.replicas ?? 1;
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const condition = (type: string, reason: string) => ({ type, reason, status: 'True', lastUpdateTime: now, lastTransitionTime: now });
  return {
    observedGeneration: metadata.generation,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    conditions: [condition('Available', 'MinimumReplicasAvailable'), condition('Progressing', 'NewReplicaSetAvailable')],
  };
}
