import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { revisionAnnotation } from '../../api/names.ts';
import type { PrimarySpec } from '../workload.ts';
import { templateMatches } from './template-matches.ts';

/** A template of another controller has the rendered pods (docs/internals.md, Revisions); a restart by hand does not change it (E104). */
export function adoptsPods(primary: KubeObject, rendered: PrimarySpec): boolean {
  if (!rendered.template) return false;
  const [template, wanted] = [unstamped(asPodWorkload(primary).spec.template), unstamped(rendered.template)];
  const annotations = withoutRestarts(template.metadata?.annotations ?? {}, wanted.metadata?.annotations ?? {});
  const held = { ...primary, spec: { template: annotated(template, annotations.held) } };
  return templateMatches(held, { template: annotated(wanted, annotations.wanted) }) === undefined;
}

/** Each controller writes its own promotion id, which does not describe the pods. */
function unstamped(template: PodTemplate): PodTemplate {
  const { [revisionAnnotation]: _, ...annotations } = template.metadata?.annotations ?? {};
  return annotated(template, annotations);
}

const annotated = (template: PodTemplate, annotations: Record<string, string>): PodTemplate => ({
  ...template,
  metadata: { ...template.metadata, annotations },
});

/** Annotations by which tools restart pods, with the time as their value: kubectl (and Argo CD, Lens, k9s), and Rancher. */
const RESTARTS = ['kubectl.kubernetes.io/restartedAt', 'cattle.io/timestamp'];

/** Annotations for the comparison of pod templates: those for restarts in `held` are left out of both, unless `wanted` has a later one. */
function withoutRestarts(held: Labels, wanted: Labels): { held: Labels; wanted: Labels } {
  const settled = RESTARTS.filter((key) => !isLater(wanted[key], held[key]));
  const keep = (pairs: Labels) => Object.fromEntries(Object.entries(pairs).filter(([key]) => !settled.includes(key)));
  return { held: keep(held), wanted: keep(wanted) };
}

/** A time that cannot be read could be later. */
function isLater(wanted: string | undefined, held: string | undefined): boolean {
  if (wanted === undefined) return false;
  return held === undefined || !(Date.parse(wanted) <= Date.parse(held));
}
