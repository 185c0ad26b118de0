import { builtIn } from '../../../api/built-in-metrics.ts';
import type { Metric } from '../../../api/canary.ts';
import { error, type Finding, warning } from '../../../api/finding.ts';
import type { MetricTemplateSpec } from '../../../api/metric-template.ts';
import { renderQuery } from '../../../metrics/query-template.ts';
import { queryVariables } from '../../../metrics/query-variables.ts';
import { type CanaryItem, findOurs, isAbsent, type Manifests, type ourKinds, perCanary } from '../manifests.ts';

/** MetricTemplates and AlertProviders that a Canary refers to, and the variables that a template wants of it. */
export const references = perCanary(function* (item, manifests) {
  if (!item.place) return;
  const { metrics = [], alerts = [] } = item.canary.spec.analysis;
  for (const [index, metric] of metrics.entries()) yield* metricFindings(manifests, item, metric, `spec.analysis.metrics[${index}]`);
  for (const [index, { providerRef: ref }] of alerts.entries())
    yield* missing(manifests, item, { kind: 'AlertProvider', ref, path: `spec.analysis.alerts[${index}].providerRef`, find: warning });
});

function* metricFindings(manifests: Manifests, item: CanaryItem, metric: Metric, path: string): Generator<Finding> {
  const { templateRef: ref } = metric;
  yield* countsFindings(manifests, item, metric, path);
  if (!ref || builtIn.includes(metric.name) || metric.query) return;
  const template = findOurs(manifests, 'MetricTemplate', ref.name, ref.namespace ?? item.namespace);
  if (!template) yield* missing(manifests, item, { kind: 'MetricTemplate', ref, path: `${path}.templateRef`, find: error });
  // If several have the name, as in overlays, any of them can be the applied one.
  const versions = manifests.templates.filter(({ name, namespace }) => name === template?.name && namespace === template.namespace);
  const wanted = versions.map(({ spec }) => unsetVariables(queriesOf(spec, metric), item, metric)).toSorted(byLength)[0] ?? [];
  const remedy = 'set it, or the check is never measured';
  if (wanted.length > 0)
    yield error(`${path}.templateVariables`, `lacks ${wanted.join(', ')}, which MetricTemplate ${ref.name} needs: ${remedy}`);
}

const byLength = (a: readonly string[], b: readonly string[]): number => a.length - b.length;

const queriesOf = ({ query, counts }: MetricTemplateSpec, { compare }: Metric): string =>
  compare && counts ? [query, counts.total, counts.bad].join('\n') : query;

/** A comparison by a template that does not count; if several have the name, one of them may. */
function* countsFindings(manifests: Manifests, item: CanaryItem, { compare, templateRef: ref }: Metric, path: string): Generator<Finding> {
  if (!compare || !ref) return;
  const namespace = ref.namespace ?? item.namespace;
  const versions = manifests.templates.filter((one) => one.name === ref.name && one.namespace === namespace);
  if (versions.length > 0 && versions.every(({ spec }) => !spec.counts))
    yield error(
      `${path}.compare`,
      `needs spec.counts, which MetricTemplate ${ref.name} does not have: add total and bad to it, or remove compare`,
    );
}

/** Found one by one: each missing variable is set, until the template can be rendered. */
function unsetVariables(query: string, { canary }: CanaryItem, metric: Metric): string[] {
  const variables = queryVariables(canary, metric);
  if ('query' in renderQuery(query, variables)) return [];
  const missed = new Set<string>();
  const given = new Proxy(variables.variables, {
    getOwnPropertyDescriptor(known, key) {
      if (!Object.hasOwn(known, key)) missed.add(String(key));
      return { configurable: true, enumerable: true, value: Reflect.get(known, key) ?? '' };
    },
  });
  // A template that fails all the same has a mistake of its own, and a finding for it.
  return 'query' in renderQuery(query, { ...variables, variables: given }) ? [...missed] : [];
}

interface Reference {
  kind: (typeof ourKinds)[number];
  ref: { name: string; namespace?: string | undefined };
  path: string;
  /** Used if the object is known to be absent; otherwise it can be in the cluster. */
  find: typeof error;
}

function* missing(manifests: Manifests, item: CanaryItem, { kind, ref, path, find }: Reference): Generator<Finding> {
  const namespace = ref.namespace ?? item.namespace;
  if (findOurs(manifests, kind, ref.name, namespace)) return;
  const elsewhere = findOurs(manifests, kind, ref.name, undefined)?.namespace;
  const remedy = elsewhere && `there is one in namespace ${elsewhere}: set namespace`;
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  if (isAbsent(manifests, kind))
    yield find(`${path}.name`, `is ${ref.name}, but the ${kind} was not found${where}: ${remedy || 'create it, or correct the name'}`);
  else {
    const unknown = `is ${ref.name}, and no file of this run has such a ${kind}${where}`;
    yield warning(`${path}.name`, `${unknown}: ${remedy || 'add its file, read the cluster with --live, or correct the name'}`);
  }
}
