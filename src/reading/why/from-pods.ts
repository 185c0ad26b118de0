import { asPod } from '../../api/kinds/pod.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { problemOfPod } from '../../workloads/pods/problem.ts';
import { aboutIt, fieldProof, type Trouble } from './finding.ts';

/** The first pod that does not become ready, and the reason in its own status. */
export function fromPods(pods: readonly KubeObject[]): Trouble | undefined {
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    const problem = problemOfPod(asPod(pod));
    if (problem === undefined) continue;
    const { cause, field, value, part, node } = problem;
    return {
      cause,
      about: aboutIt(pod),
      proof: [fieldProof(pod, field, value)],
      ...(node === undefined ? {} : { look: `kubectl describe node ${node}` }),
      ...(part === undefined ? {} : { change: { template: part } }),
    };
  }
  return undefined;
}
