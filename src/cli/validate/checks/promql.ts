import { error, type Finding, warning } from '../../../api/finding.ts';
import { renderQuery } from '../../../metrics/query-template.ts';
import { findingOn, type ManifestCheck } from '../manifests.ts';
import { PromQuery } from '../promql/prom-query.ts';
import { sampleVariables } from '../sample-variables.ts';

const WORD = 'sampleapp';
/** A variable can be a name, a number or a time: a query is wrong if none of them makes it parse. */
const VALUES = [WORD, '1', '1m'];

/** Queries in PromQL that do not parse, that cannot fail, or that measure another workload. */
export const promql: ManifestCheck = function* ({ templates, canaries }) {
  for (const item of templates) {
    const { type, queryLanguage } = item.spec.provider;
    const isPromql = type === 'prometheus' || (type === 'stackdriver' && queryLanguage === 'promql');
    const { query, counts } = item.spec;
    if (!isPromql) continue;
    yield* findingOn(item, queryFindings(query, 'spec.query'));
    for (const field of ['total', 'bad'] as const) if (counts) yield* findingOn(item, queryFindings(counts[field], `spec.counts.${field}`));
  }
  for (const item of canaries)
    for (const [index, { query }] of (item.canary.spec.analysis.metrics ?? []).entries())
      if (query) yield* findingOn(item, queryFindings(query, `spec.analysis.metrics[${index}].query`));
};

function* queryFindings(template: string, path: string): Generator<Finding> {
  const rendered = VALUES.map((value) => renderQuery(template, sampleVariables(WORD, value)));
  const parsed = rendered.flatMap((one) => ('query' in one ? [PromQuery.parse(one.query)] : []));
  const readable = parsed.find((one) => one instanceof PromQuery);
  if (readable) {
    yield* typeFindings(readable, path);
    yield* verdictFindings(readable, path);
    yield* workloadFindings(readable, path);
  }
  const [first] = parsed;
  if (readable || !first || first instanceof PromQuery) return;
  const { line, column, near } = first;
  const where = `does not parse as PromQL at line ${line}, column ${column}${near ? `, near ${JSON.stringify(near)}` : ', where it ends'}`;
  if (first.isMetricsQl) yield warning(path, `${where}: VictoriaMetrics can accept it, Prometheus refuses it`);
  else yield error(path, `${where}: correct it; the metrics server would refuse each check`);
}

function* typeFindings(query: PromQuery, path: string): Generator<Finding> {
  for (const call of query.withoutRange())
    yield error(path, `has ${call} of a series without a range: write the range, as in ${call}(requests[{{ interval }}])`);
  for (const text of query.withRange()) yield error(path, `has ${text} where a value is wanted: put rate or increase around it`);
}

function* verdictFindings(query: PromQuery, path: string): Generator<Finding> {
  const ratio = query.ratioOfItself();
  const remedy = 'put sum() around both sides, and select the good requests only in the first';
  if (!query.hasSeries())
    yield warning(path, 'names no series, so that it has the same value for ever: the check cannot fail by a bad version');
  else if (ratio) yield warning(path, `divides each series by itself (${ratio}), which is always 1: ${remedy}`);
}

function* workloadFindings(query: PromQuery, path: string): Generator<Finding> {
  const served = query.workloadMatchers(WORD);
  const [named, primary, target, both] = (['canaryName', 'primary', 'target', 'both'] as const).map((side) =>
    served.find(({ matches }) => matches === side),
  );
  if (named) {
    const remedy = 'the pods of the canary are those of the target itself, {{ target }}; only its Service is {{ target }}-canary';
    yield warning(path, `has ${named.text}, and no ${named.label} is named so: ${remedy}`);
  }
  if (primary && !target && !both)
    yield warning(path, `has ${primary.text}, so that the primary is measured, which serves the old version: the canary is {{ target }}`);
  const exact = both?.isPod ? '{{ target }}-[0-9a-zA-Z]+(-[0-9a-zA-Z]+)' : '{{ target }}';
  if (both) yield warning(path, `has ${both.text}, which also matches the primary: write ${exact}`);
}
