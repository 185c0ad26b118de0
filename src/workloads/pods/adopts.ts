import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { revisionAnnotation } from '../../api/names.ts';
import type { PrimarySpec } from '../workload.ts';
import { withoutRestarts } from './restarts.ts';
import { templateMatches } from './template-matches.ts';

/** Whether a template of another controller holds the rendered pods (ARCHITECTURE.md, Revisions); a restart by hand does not change it (E104). */
export function adoptsPods(primary: KubeObject, rendered: PrimarySpec): boolean {
  if (!rendered.template) return false;
  const [template, wanted] = [unstamped(asPodWorkload(primary).spec.template), unstamped(rendered.template)];
  const annotations = withoutRestarts(template.metadata?.annotations ?? {}, wanted.metadata?.annotations ?? {});
  const held = { ...primary, spec: { template: annotated(template, annotations.held) } };
  return templateMatches(held, { template: annotated(wanted, annotations.wanted) }) === undefined;
}

/** Each controller writes its own promotion id; it says nothing of the pods. */
function unstamped(template: PodTemplate): PodTemplate {
  const { [revisionAnnotation]: _, ...annotations } = template.metadata?.annotations ?? {};
  return annotated(template, annotations);
}

const annotated = (template: PodTemplate, annotations: Record<string, string>): PodTemplate => ({
  ...template,
  metadata: { ...template.metadata, annotations },
});
