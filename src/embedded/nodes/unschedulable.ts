import type { Pod } from '../../api/kinds/pod.ts';
import { refOf } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';

/** Says once in the pod's status, as the scheduler does, that no node fits; it is placed when a node changes. */
export async function tellUnschedulable(cluster: Cluster, pod: Pod, nodes: number, nowText: string): Promise<void> {
  const { conditions: known = [] } = pod.status ?? {};
  if (known.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable')) return;
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message: `0/${nodes} nodes are available: none matches the pod's node selector, affinity and tolerations.`,
    lastTransitionTime: nowText,
  };
  const conditions = [...known.filter(({ type }) => type !== 'PodScheduled'), condition];
  await cluster.patch(refOf(pod), { status: { conditions } }, { subresource: 'status' });
}
