import { type KubeObject, refKey, refOf } from '../../../src/api/kube-object.ts';
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
 * Replaces the controllers of Deployments and of ReplicaSets, and kubelets: all requested pods are ready as soon as a change is seen. One write for each change
 * carries the status, and of a Deployment the template's number, as the real controllers' do; without pods, and without ReplicaSets of a Deployment.
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
  const learn = (workload: KubeObject): void => {
    const { metadata, status }: Raw = workload;
    const key = refKey(refOf(workload));
    if (status?.observedGeneration === metadata.generation) waiting.delete(key);
    else waiting.set(key, workload);
    writeNext();
  };
  const writeNext = (): void => {
    while (underWay < AT_ONCE && !isStopped) {
      const [key, workload] = waiting.entries().next().value ?? [];
      if (key === undefined || workload === undefined) return;
      waiting.delete(key);
      underWay += 1;
      void write(workload).finally(() => {
        underWay -= 1;
        writeNext();
      });
    }
  };
  const write = async (workload: KubeObject): Promise<void> => {
    const patch = workload.kind === 'Deployment' ? deploymentPatch(workload) : { status: readyPods(workload) };
    try {
      await cluster.patch(refOf(workload), patch, { subresource: 'status' });
    } catch (error) {
      if (isStopped || isNotFound(error)) return;
      setTimeout(() => learn(workload), AGAIN_AFTER_MS).unref();
    }
  };
  const deploymentPatch = (deployment: KubeObject): Record<string, unknown> => ({
    metadata: { annotations: { [REVISION]: String(numberOf(deployment)) } },
    status: allReady(deployment),
  });
  const handles = ['Deployment', 'ReplicaSet'].map((kind) =>
    cluster.watch(
      { apiVersion: 'apps/v1', kind },
      { onEvent: ({ type, object }) => type !== 'DELETED' && learn(object), onList: (items) => items.forEach(learn) },
    ),
  );
  return {
    synced: Promise.all(handles.map(({ synced }) => synced)),
    isIdle: () => underWay === 0 && waiting.size === 0,
    stop() {
      isStopped = true;
      for (const handle of handles) handle.stop();
    },
  };
}

/** The fields that the statuses of a Deployment and of a ReplicaSet share. */
function readyPods({ metadata, spec }: Raw): object {
  const replicas: number = spec.replicas ?? 1;
  return { observedGeneration: metadata.generation, replicas, readyReplicas: replicas, availableReplicas: replicas };
}

function allReady(deployment: Raw): object {
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const condition = (type: string, reason: string) => ({ type, reason, status: 'True', lastUpdateTime: now, lastTransitionTime: now });
  return {
    ...readyPods(deployment),
    updatedReplicas: deployment.spec.replicas ?? 1,
    conditions: [condition('Available', 'MinimumReplicasAvailable'), condition('Progressing', 'NewReplicaSetAvailable')],
  };
}
