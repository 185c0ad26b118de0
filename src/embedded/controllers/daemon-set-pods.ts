import type { DaemonSet } from '../../api/kinds/daemon-set.ts';
import type { Node } from '../../api/kinds/node.ts';
import type { Pod } from '../../api/kinds/pod.ts';
import type { PodSpec, SchedulingAffinity } from '../../api/kinds/pod-template.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { untolerated, wantsNode } from '../nodes/node-fit.ts';
import { podFrom } from './pods.ts';

/** Label of a pod: the revision of its set's template. */
export const REVISION_HASH = 'controller-revision-hash';
const GENERATION = 'pod-template-generation';
/** Annotation of a DaemonSet; its pods carry the value as label `pod-template-generation`. */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** Tolerations of every daemon. Source: Kubernetes documentation, "DaemonSet", taints and tolerations. */
const daemonTolerations = [
  ...['not-ready', 'unreachable'].map((taint) => ({ key: taint, effect: 'NoExecute' })),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((taint) => ({ key: taint, effect: 'NoSchedule' })),
].map(({ key, effect }) => ({ key: `node.kubernetes.io/${key}`, operator: 'Exists', effect }));

/** The set's pod for one node: pinned to it by its name, so that the scheduler has no choice. */
export function podForNode(set: DaemonSet, node: string, hash: string): KubeObject {
  const { template } = set.spec;
  const generation = set.metadata.annotations?.[TEMPLATE_GENERATION];
  const spec = { ...daemonSpec(set), affinity: pinnedTo(template.spec.affinity, node) };
  return podFrom(set, { ...template, spec }, { [REVISION_HASH]: hash, ...(generation !== undefined && { [GENERATION]: generation }) });
}

const daemonSpec = (set: DaemonSet): PodSpec => ({
  ...set.spec.template.spec,
  tolerations: [...(set.spec.template.spec.tolerations ?? []), ...daemonTolerations],
});

function pinnedTo(affinity: SchedulingAffinity | undefined, node: string): SchedulingAffinity {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}];
  const required = { nodeSelectorTerms: terms.slice(0, 1).map(() => ({ matchFields })) };
  return { ...affinity, nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required } };
}

/** The node that a daemon's pod is on, or pinned to while it waits for the scheduler. */
export function nodeOf(pod: Pod): string | undefined {
  if (pod.spec.nodeName) return pod.spec.nodeName;
  const required = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms?.[0]?.matchFields?.[0]?.values?.[0];
}

/** Tests if a new pod belongs on the node, and if an existing pod is allowed to stay (only NoExecute drives it away). */
export function fitOf(set: DaemonSet, node: Node): { shouldRun: boolean; mayStay: boolean } {
  const spec = daemonSpec(set);
  if (!wantsNode(spec, node)) return { shouldRun: false, mayStay: false };
  return {
    shouldRun: untolerated(spec, node, ['NoSchedule', 'NoExecute']).length === 0,
    mayStay: untolerated(spec, node, ['NoExecute']).length === 0,
  };
}
