import { type Finding, warning } from '../../../api/finding.ts';
import { renderQuery } from '../../../metrics/query-template.ts';
import { isNear, type ManifestCheck, type Manifests, on, type TemplateItem } from '../manifests.ts';
import { sampleVariables } from '../sample-variables.ts';

/** Queries that measure the same for every Canary, since nothing in them depends on the workload. */
export const queryNames: ManifestCheck = (manifests) => [
  ...manifests.templates.flatMap((item) => on(item, templateFindings(manifests, item))),
  ...manifests.canaries.flatMap((item) => {
    const { metadata, spec } = item.canary;
    const texts = [spec.targetRef.name, spec.service.name, metadata.name, spec.ingressRef?.name, spec.routeRef?.name];
    const findings = (spec.analysis.metrics ?? []).flatMap(({ query }, index): Finding[] =>
      !query || namesWorkload(query) || texts.some((text) => text && query.includes(text))
        ? []
        : [finding(`spec.analysis.metrics[${index}].query`)],
    );
    return on(item, findings);
  }),
];

function templateFindings(manifests: Manifests, item: TemplateItem): Finding[] {
  const { query, provider } = item.spec;
  // Keptn's queries name an object of its own, which measures one workload.
  if (provider.type === 'keptn' || namesWorkload(query)) return [];
  const users = manifests.canaries.filter(({ canary, namespace }) =>
    canary.spec.analysis.metrics?.some(
      ({ templateRef: ref }) => ref?.name === item.name && isNear(ref.namespace ?? namespace, item.namespace),
    ),
  );
  // Written for these workloads by name.
  if (users.length > 0 && users.every(({ canary }) => query.includes(canary.spec.targetRef.name))) return [];
  return [finding('spec.query')];
}

const finding = (path: string): Finding =>
  warning(
    path,
    'does not depend on the workload, so that the primary and other applications are measured, too: use {{ target }}, {{ service }} or {{ ingress }}',
  );

/** Whether another workload makes another query. A template that cannot be rendered has a finding of its own. */
function namesWorkload(query: string): boolean {
  const [one, other] = ['one', 'other'].map((word) => renderQuery(query, sampleVariables(word)));
  if (!one || !other || 'error' in one || 'error' in other) return true;
  return one.query !== other.query;
}
