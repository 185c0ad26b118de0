import type { KubeObject } from '../../api/kube-object.ts';
import { revisionAnnotation } from '../../api/names.ts';
import type { PodTemplate, PrimarySpec } from '../workload.ts';

/** Of a primary that another controller made: all that it holds, with our id, by which it is known again once it was put back. */
export function heldPods(primary: KubeObject, revision: string): PrimarySpec {
  const { replicas: _replicas, selector: _selector, paused: _paused, ...spec } = primary.spec;
  const template: PodTemplate = spec.template;
  const annotations = { ...template.metadata?.annotations, [revisionAnnotation]: revision };
  return { ...spec, template: { ...template, metadata: { ...template.metadata, annotations } } };
}
