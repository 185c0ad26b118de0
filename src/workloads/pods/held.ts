import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { revisionAnnotation } from '../../api/names.ts';
import type { PrimarySpec } from '../workload.ts';

/** The full content of a primary that another controller made, with our id, by which it is recognized after a restore. */
export function heldPods(primary: KubeObject, revision: string): PrimarySpec {
  const { replicas: _replicas, selector: _selector, paused: _paused, template, ...spec } = asPodWorkload(primary).spec;
  const annotations = { ...template.metadata?.annotations, [revisionAnnotation]: revision };
  return { ...spec, template: { ...template, metadata: { ...template.metadata, annotations } } };
}
