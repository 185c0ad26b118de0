import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { misfits } from './node-fit.ts';

/** A pod that has a node, or is about to: its owner, by which pods are spread. */
export interface Placed {
  node: string;
  owner: string;
}

/** Uid of the controller that made a pod; '' for a pod of its own. */
export const ownerOf = (pod: KubeObject): string => pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? '';

/**
 * The node for a pod: of the nodes that suit it, by the fewest pods of the same owner, then the fewest pods, then the first by name. `undefined` if no node
 * fits. A scheduler scores by the resources that are left; here nothing uses any, so only counting is left.
 */
export function chooseNode(pod: Pod, nodes: readonly Node[], placed: readonly Placed[]): string | undefined {
  const owner = ownerOf(pod);
  const load = (name: string): [sameOwner: number, all: number] => {
    const here = placed.filter(({ node }) => node === name);
    return [here.filter((each) => each.owner === owner).length, here.length];
  };
  const candidates = nodes
    .filter((node) => misfits(pod.spec, node).length === 0)
    .map((node) => ({ name: node.metadata.name, load: load(node.metadata.name) }));
  const [best] = candidates.toSorted((a, b) => a.load[0] - b.load[0] || a.load[1] - b.load[1] || (a.name < b.name ? -1 : 1));
  return best?.name;
}

/** The scheduler's message for a pod that no node takes; evicting other pods would not make room for it. */
export function unschedulableMessage(pod: Pod, nodes: readonly Node[]): string {
  const counts = new Map<string, number>();
  for (const reason of nodes.flatMap((node) => misfits(pod.spec, node))) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`).toSorted();
  const none = `0/${nodes.length} nodes are available: `;
  return `${none}${reasons.join(', ')}. no new claims to deallocate, preemption: ${none}${nodes.length} Preemption is not helpful for scheduling.`;
}
