import { type Finding, warning } from '../../../api/finding.ts';
import { renderQuery } from '../../../metrics/query-template.ts';
import { findingOn, isNear, type ManifestCheck, type Manifests, type TemplateItem } from '../manifests.ts';
import { sampleVariables } from '../sample-variables.ts';

/** Queries that measure the same for every Canary, since nothing in them depends on the workload. */
export const queryNames: ManifestCheck = function* (manifests) {
  for (const item of manifests.templates) if (isGeneral(manifests, item)) yield* findingOn(item, [finding('spec.query')]);
  for (const item of manifests.canaries) {
    const { metadata, spec } = item.canary;
    const texts = [spec.targetRef.name, spec.service.name, metadata.name, spec.ingressRef?.name, spec.routeRef?.name];
    for (const [index, { query }] of (spec.analysis.metrics ?? []).entries())
      if (query && !namesWorkload(query) && !texts.some((text) => text && query.includes(text)))
        yield* findingOn(item, [finding(`spec.analysis.metrics[${index}].query`)]);
  }
};

function isGeneral(manifests: Manifests, item: TemplateItem): boolean {
  const { query, provider } = item.spec;
  // Keptn's queries name an object of its own, which measures one workload.
  if (provider.type === 'keptn' || namesWorkload(query)) return false;
  const users = manifests.canaries.filter(({ canary, namespace }) =>
    canary.spec.analysis.metrics?.some(
      ({ templateRef: ref }) => ref?.name === item.name && isNear(ref.namespace ?? namespace, item.namespace),
    ),
  );
  // Else it is written for these workloads by name.
  return users.length === 0 || !users.every(({ canary }) => query.includes(canary.spec.targetRef.name));
}

const REMEDY = 'use {{ target }}, {{ service }} or {{ ingress }}';
const finding = (path: string): Finding =>
  warning(path, `does not depend on the workload, so that the primary and other applications are also measured: ${REMEDY}`);

/** Tests if another workload makes another query. A template that cannot be rendered has a finding of its own. */
function namesWorkload(query: string): boolean {
  const [one, other] = ['one', 'other'].map((word) => renderQuery(query, sampleVariables(word)));
  if (!one || !other || 'error' in one || 'error' in other) return true;
  return one.query !== other.query;
}
