import { error, type Finding, warning } from '../../../api/finding.ts';
import type { MetricProviderType } from '../../../api/metric-template.ts';
import { readMetricDataQueries } from '../../../metrics/providers/metric-data-query.ts';
import { renderQuery } from '../../../metrics/query-template.ts';
import { findingOn, type ManifestCheck } from '../manifests.ts';
import { sampleVariables } from '../sample-variables.ts';

/** Rules of single metric backends for the text of a query. */
export const queryForms: ManifestCheck = ({ templates }) =>
  templates.flatMap((item) => {
    const { provider, query } = item.spec;
    const rendered = renderQuery(query, sampleVariables('sample'));
    const form = FORMS[provider.type];
    return form && 'query' in rendered ? findingOn(item, form(rendered.query)) : [];
  });

const FORMS: Readonly<Partial<Record<MetricProviderType, (query: string) => Iterable<Finding>>>> = { graphite, cloudwatch, datadog };

function* graphite(query: string): Generator<Finding> {
  if (!/(^|[&?\s])target=/.test(query))
    yield error('spec.query', 'has no target=, and Graphite answers nothing without it: write target= before the expression');
}

function* cloudwatch(query: string): Generator<Finding> {
  const read = readMetricDataQueries(query);
  if ('problem' in read) return;
  const returned = read.queries.filter((one) => Reflect.get(one, 'ReturnData') !== false);
  const ids = returned.map((one) => String(Reflect.get(one, 'Id') ?? '?')).join(', ');
  if (returned.length === 0)
    yield error('spec.query', 'returns nothing, since ReturnData is false in every entry; remove it from the deciding entry');
  else if (returned.length > 1)
    yield warning('spec.query', `returns the results ${ids}, and only the first is used: set ReturnData to false in the others`);
}

function* datadog(query: string): Generator<Finding> {
  const wrong = [...query.matchAll(/\.rollup\(([^()]*)\)/g)].find(([, args = '']) =>
    args.split(',').some((arg) => /["']|^\s*\d+\s*[a-z]+\s*$/i.test(arg)),
  );
  const remedy = 'and Datadog takes the interval of a rollup as a number of seconds: write as in .rollup(avg, 60)';
  if (wrong) yield error('spec.query', `has ${wrong[0]}, ${remedy}`);
}
