import { error, type Finding, warning } from '../../../api/finding.ts';
import { renderQuery } from '../../../metrics/query-template.ts';
import { type ManifestCheck, on } from '../manifests.ts';
import { PromQuery } from '../promql/prom-query.ts';
import { sampleVariables } from '../sample-variables.ts';

const WORD = 'sampleapp';
/** A variable may stand for a name, a number or a time: a query is wrong where none of them makes one that parses. */
const VALUES = [WORD, '1', '1m'];

/** Queries in PromQL: those that do not parse, that cannot fail, and that measure another workload. */
export const promql: ManifestCheck = ({ templates, canaries }) => [
  ...templates.flatMap((item) => {
    const { type, queryLanguage } = item.spec.provider;
    const isPromql = type === 'prometheus' || (type === 'stackdriver' && queryLanguage === 'promql');
    return isPromql ? on(item, queryFindings(item.spec.query, 'spec.query')) : [];
  }),
  ...canaries.flatMap((item) => {
    const { metrics = [] } = item.canary.spec.analysis;
    return on(
      item,
      metrics.flatMap(({ query }, index) => (query ? queryFindings(query, `spec.analysis.metrics[${index}].query`) : [])),
    );
  }),
];

function queryFindings(template: string, path: string): Finding[] {
  const queries = VALUES.map((value) => renderQuery(template, sampleVariables(WORD, value))).flatMap((one) =>
    'query' in one ? [one.query] : [],
  );
  const parsed = queries.map((text) => PromQuery.parse(text));
  const readable = parsed.find((one) => one instanceof PromQuery);
  if (readable) return [...typeFindings(readable, path), ...verdictFindings(readable, path), ...workloadFindings(readable, path)];
  const [first] = parsed;
  if (!first || first instanceof PromQuery) return [];
  const { line, column, near } = first;
  const where = `does not parse as PromQL at line ${line}, column ${column}${near ? `, near ${JSON.stringify(near)}` : ', where it ends'}`;
  if (first.isMetricsQl) return [warning(path, `${where}: VictoriaMetrics may take it, Prometheus refuses it`)];
  return [error(path, `${where}: correct it; the metrics server would refuse each check`)];
}

function typeFindings(query: PromQuery, path: string): Finding[] {
  return [
    ...query
      .withoutRange()
      .map((call) => error(path, `has ${call} of a series without a range: write the range, as in ${call}(requests[{{ interval }}])`)),
    ...query.withRange().map((text) => error(path, `has ${text} where a value is wanted: put rate or increase around it`)),
  ];
}

function verdictFindings(query: PromQuery, path: string): Finding[] {
  if (!query.hasSeries())
    return [warning(path, 'names no series, so that it has the same value for ever: the check cannot fail by a bad version')];
  const ratio = query.ratioOfItself();
  if (!ratio) return [];
  const remedy = 'put sum() around both sides, and select the good ones in the first alone';
  return [warning(path, `divides each series by itself (${ratio}), which is 1 whatever happens: ${remedy}`)];
}

function workloadFindings(query: PromQuery, path: string): Finding[] {
  const found: Finding[] = [];
  const add = (message: string) => found.push(warning(path, message));
  const served = query.workloadMatchers(WORD);
  const named = served.find(({ matches }) => matches === 'canaryName');
  if (named)
    add(
      `has ${named.text}, and no ${named.label} is named so: the pods of the canary are those of the target itself, {{ target }}; only its Service is {{ target }}-canary`,
    );
  const primary = served.filter(({ matches }) => matches === 'primary');
  const judged = served.filter(({ matches }) => matches === 'target' || matches === 'both');
  if (primary[0] && judged.length === 0)
    add(`has ${primary[0].text}, so that the primary is measured, which serves the old version: the canary is {{ target }}`);
  const both = served.find(({ matches }) => matches === 'both');
  if (both)
    add(
      `has ${both.text}, which matches the primary, too: write ${both.isPod ? '{{ target }}-[0-9a-zA-Z]+(-[0-9a-zA-Z]+)' : '{{ target }}'}`,
    );
  return found;
}
