import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { untolerated, wantsNode } from './node-fit.ts';

/** A pod that has a node, or is about to: its owner, by which pods are spread. */
export interface Placed {
  node: string;
  owner: string;
}

/** Uid of the controller that made a pod; '' for a pod of its own. */
export const ownerOf = (pod: KubeObject): string => pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid ?? '';

/**
 * The node for a pod: of the nodes that suit it, by the fewest pods of the same owner, then the fewest pods, then the first by name. `undefined` if no node
 * fits. A scheduler scores by resources; here nothing uses any, so only counting is left.
 */
export function chooseNode(pod: Pod, nodes: readonly Node[], placed: readonly Placed[]): string | undefined {
  const owner = ownerOf(pod);
  const load = (name: string): [sameOwner: number, all: number] => {
    const here = placed.filter(({ node }) => node === name);
    return [here.filter((each) => each.owner === owner).length, here.length];
  };
  const candidates = nodes
    .filter((node) => wantsNode(pod.spec, node) && untolerated(pod.spec, node, ['NoSchedule', 'NoExecute']).length === 0)
    .map((node) => ({ name: node.metadata.name, load: load(node.metadata.name) }));
  const [best] = candidates.toSorted((a, b) => a.load[0] - b.load[0] || a.load[1] - b.load[1] || (a.name < b.name ? -1 : 1));
  return best?.name;
}
