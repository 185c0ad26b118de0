import type { KubeObject } from '../../api/kube-object.ts';
import { revisionAnnotation } from '../../api/names.ts';
import type { PodTemplate, PrimarySpec } from '../workload.ts';
import { templateMatches } from './template-matches.ts';

/** Whether a template of another controller holds the rendered pods (DESIGN Revisions). */
export function adoptsPods(primary: KubeObject, rendered: PrimarySpec): boolean {
  const template: PodTemplate = primary.spec.template;
  const held: KubeObject = { ...primary, spec: { template: unstamped(template) } };
  const wanted = rendered.template && unstamped(rendered.template);
  return wanted !== undefined && templateMatches(held, { template: wanted }) === undefined;
}

/** The id of the promotion is another one for each controller, and tells nothing of the pods. */
function unstamped(template: PodTemplate): PodTemplate {
  const { [revisionAnnotation]: _, ...annotations } = template.metadata?.annotations ?? {};
  return { ...template, metadata: { ...template.metadata, annotations } };
}
