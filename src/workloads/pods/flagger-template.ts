import type { LabelSelector } from '../../api/kinds/label-selector.ts';
import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { revisionAnnotation } from '../../api/names.ts';
import { primaryValue } from '../../api/selector-label.ts';
import { rewriteReferences } from '../configs/references.ts';
import type { PrimarySpec, RenderOptions } from '../workload.ts';

interface FlaggerTerm {
  labelSelector?: LabelSelector;
  [field: string]: unknown;
}
interface Spread {
  topologySpreadConstraints?: FlaggerTerm[];
  affinity?: {
    podAntiAffinity?: {
      preferredDuringSchedulingIgnoredDuringExecution?: { podAffinityTerm: FlaggerTerm; [field: string]: unknown }[];
      requiredDuringSchedulingIgnoredDuringExecution?: FlaggerTerm[];
    };
  };
}

/**
 * The pod template that Flagger makes from the target, which differs from ours where Flagger's rules do harm: a revision that
 * Flagger promoted must be recognized, and not be analysed again. The id of the promotion is left out. `spreads`: it rewrites no spread terms of DaemonSets.
 */
export function flaggerSpec(target: KubeObject, options: RenderOptions, { spreads }: { spreads: boolean }): PrimarySpec {
  const { key, primary } = options.selector;
  const { template } = asPodWorkload(target).spec;
  const { labels = {}, annotations = {}, creationTimestamp: _none, ...metadata } = template.metadata ?? {};
  const { [revisionAnnotation]: _id, ...kept } = withoutToolkit(annotations);
  const spec = options.configs ? rewriteReferences(template.spec, options.configs) : template.spec;
  return {
    template: {
      ...template,
      metadata: { ...metadata, labels: { ...withoutToolkit(labels), [key]: primary }, annotations: kept },
      spec: spreads ? rewriteSpread(spec, target.metadata.name, options.selectorLabels) : spec,
    },
  };
}

const withoutToolkit = (pairs: Labels): Labels =>
  Object.fromEntries(Object.entries(pairs).filter(([key]) => !key.includes('toolkit.fluxcd.io')));

function rewriteSpread<T extends Record<string, unknown>>(spec: T, name: string, keys: readonly string[]): T {
  const { topologySpreadConstraints: spreads, affinity } = spec as Spread;
  const anti = affinity?.podAntiAffinity;
  const preferred = anti?.preferredDuringSchedulingIgnoredDuringExecution;
  const required = anti?.requiredDuringSchedulingIgnoredDuringExecution;
  const term = (one: FlaggerTerm): FlaggerTerm => ({
    ...one,
    ...(one.labelSelector && { labelSelector: suffixed(one.labelSelector, name, keys) }),
  });
  const podAntiAffinity = {
    ...anti,
    ...(preferred && {
      preferredDuringSchedulingIgnoredDuringExecution: preferred.map((one) => ({ ...one, podAffinityTerm: term(one.podAffinityTerm) })),
    }),
    ...(required && { requiredDuringSchedulingIgnoredDuringExecution: required.map(term) }),
  };
  return {
    ...spec,
    ...(spreads && { topologySpreadConstraints: spreads.map(term) }),
    ...(anti && { affinity: { ...affinity, podAntiAffinity } }),
  };
}

/** It compares with the name of the Deployment, and in an expression suffixes the first value that is equal. */
function suffixed(selector: LabelSelector, name: string, keys: readonly string[]): LabelSelector {
  const { matchLabels, matchExpressions } = selector;
  const isOurs = (key: string) => keys.includes(key);
  return {
    ...selector,
    ...(matchLabels && {
      matchLabels: Object.fromEntries(
        Object.entries(matchLabels).map(([key, value]) => [key, isOurs(key) && value === name ? primaryValue(value) : value]),
      ),
    }),
    ...(matchExpressions && {
      matchExpressions: matchExpressions.map((expression) => {
        const { values = [] } = expression;
        const at = isOurs(expression.key) ? values.indexOf(name) : -1;
        return at < 0 ? expression : { ...expression, values: values.with(at, primaryValue(name)) };
      }),
    }),
  };
}
