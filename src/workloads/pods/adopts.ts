import type { KubeObject } from '../../api/kube-object.ts';
import { revisionAnnotation } from '../../api/names.ts';
import type { PodTemplate, PrimarySpec } from '../workload.ts';
import { templateMatches } from './template-matches.ts';

/** A template of another controller that holds the rendered pods: kept as it is, id of the promotion included (DESIGN Revisions). */
export function adoptsPods(primary: KubeObject, rendered: PrimarySpec): PrimarySpec | undefined {
  const template: PodTemplate = primary.spec.template;
  const held: KubeObject = { ...primary, spec: { template: unstamped(template) } };
  const wanted = rendered.template && unstamped(rendered.template);
  if (wanted === undefined || templateMatches(held, { template: wanted }) !== undefined) return undefined;
  return { ...rendered, template };
}

/** The id of the promotion is another one for each controller, and tells nothing of the pods. */
function unstamped(template: PodTemplate): PodTemplate {
  const { [revisionAnnotation]: _, ...annotations } = template.metadata?.annotations ?? {};
  return { ...template, metadata: { ...template.metadata, annotations } };
}
