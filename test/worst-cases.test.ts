import { describe, expect, it } from 'vitest';
import { parseDuration } from '../src/api/duration.ts';
import { fieldPath, fieldSteps } from '../src/api/field-path.ts';
import { hideSecrets, userInfoOf } from '../src/api/hide-secrets.ts';
import { meshProviderOf } from '../src/api/mesh-provider.ts';
import { namesPlaceholder } from '../src/api/placeholder.ts';
import { parseQuantity } from '../src/api/quantity.ts';
import { rootService } from '../src/api/traffic-split.ts';
import { readRequest } from '../src/api/verb-request.ts';
import { parseLabelSelector } from '../src/kube/label-selector-text.ts';
import { baseUrl } from '../src/metrics/http/base-url.ts';
import { readExternalQuery } from '../src/metrics/providers/externalmetrics.ts';
import { readRecords } from '../src/metrics/providers/influxdb.ts';
import { readKeptnQuery } from '../src/metrics/providers/keptn-query.ts';
import { readMetricDataQueries } from '../src/metrics/providers/metric-data-query.ts';
import { readAnswer } from '../src/metrics/providers/prometheus-answer.ts';
import { parseQuantity as readQuantity } from '../src/metrics/providers/quantity.ts';
import { splunkUrls } from '../src/metrics/providers/splunk.ts';
import { checkTemplate, renderQuery } from '../src/metrics/query-template.ts';
import { templateProblems } from '../src/metrics/template-problems.ts';
import { escapeMarkup } from '../src/notifiers/escape-markup.ts';
import { readAnchoredPattern } from '../src/routers/anchored-pattern.ts';
import { checkRegex } from '../src/routers/checked-regex.ts';
import { pairOfPattern } from '../src/routers/cookie.ts';
import { re2Problem, textOfPattern, unescapeRegex } from '../src/routers/regex-text.ts';
import { placedRefusal, refusalOf } from '../src/routers/routing-error.ts';
import { foreignPredicates, readMatch, splitPredicates } from '../src/routers/skipper/predicates.ts';
import { oneLine } from '../src/webhooks/one-line.ts';
import { primaryQuery } from '../src/workloads/scalers/primary-queries.ts';
import { countSteps, StepsExceeded } from './build/step-meter.ts';
import { LENGTH, worstCases } from './build/worst-cases.ts';

/** Of each character; one that looks at all of the rest from each place takes 300 times as many. */
const STEPS_A_CHARACTER = 100;
const variables = {
  ...{ name: 'app', namespace: 'shop', target: 'app', service: 'app', ingress: 'app', route: 'app', interval: '1m' },
  variables: { a: 'first', b: 'second', c: 'third' },
};
const halves = (text: string) => [text.slice(0, LENGTH / 2), text.slice(LENGTH / 2)] as const;

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  'a query template, checked': checkTemplate,
  'a query template, rendered': (text) => renderQuery(text, variables),
  'a value of templateVariables': (text) =>
    renderQuery('{{ $v := variables.a }}{{ urlquery $v | html | js }}{{ range variables }}{{ printf . 1 }}{{ end }}', {
      ...variables,
      variables: { a: text, b: text },
    }),
  'the format of printf': (text) => renderQuery('{{ printf variables.a target 1 }}', { ...variables, variables: { a: text } }),
  placeholders: (text) => namesPlaceholder(text, 'target'),
  'a MetricTemplate': (text) => templateProblems({ provider: { type: 'prometheus', address: text }, query: text, window: text }),
  'an address of Splunk': splunkUrls,
  'a base URL': (text) => [baseUrl(text, '/path'), baseUrl(`http://host/${text}`, '/path')],
  'user info': (text) => [userInfoOf(text), userInfoOf(`http://${text}@host/`)],
  'a query of CloudWatch': readMetricDataQueries,
  'a query of Keptn': readKeptnQuery,
  'a query of external metrics': readExternalQuery,
  'an answer of Prometheus': (text) => readAnswer(text),
  'an answer of InfluxDB': (text) => readRecords(`,table,_value\n${text.replaceAll('\n', '')}\n`),
  'a quantity': (text) => [parseQuantity(text), readQuantity(text)],
  'a duration': parseDuration,
  'a path': (text) => fieldPath(fieldSteps(text)),
  'a secret in an answer': (text) => hideSecrets(text, [text]),
  'a secret like the answer': (text) => hideSecrets(text, [`${text.slice(0, 4000)}!`, `!${text.slice(0, 4000)}`, ...halves(text)]),
  'an answer like the secret': (text) => hideSecrets(JSON.stringify({ error: text }), [`${text}!`, text.slice(1)]),
  'words of a webhook': (text) => oneLine(text, 300),
  'words in a chat': escapeMarkup,
  'a mesh provider': meshProviderOf,
  'a split': (text) => rootService(text, 'shop'),
  'a request by annotation': readRequest,
  'a label selector': parseLabelSelector,
  'a pattern of a route': (text) => [
    readAnchoredPattern(text),
    readAnchoredPattern(`^(?:${text})$`),
    textOfPattern(text),
    unescapeRegex(text),
  ],
  'a pattern of a user': (text) => [re2Problem(text), refusalOf(() => checkRegex({ regex: text }, 'match', 'RE2'))],
  'a cookie of a route': (text) => [pairOfPattern(text), pairOfPattern(`.*${text}.*`), pairOfPattern(`(.*; ?)?${text}(;.*)?`)],
  'a refusal of a router': placedRefusal,
  'predicates of Skipper': (text) => [foreignPredicates(text), readMatch(splitPredicates(text), [], undefined)],
  'a query of KEDA': (text) => [primaryQuery(text, 'app', 'prometheus'), primaryQuery(text, 'app')],
};

it('there are 200 worst cases or more, each of 64 KB but for those that are nested 40 deep', () => {
  expect(worstCases.size).toBeGreaterThanOrEqual(200);
  for (const [name, text] of worstCases) expect(text.length, name).toBeGreaterThan(name.endsWith('40 deep') ? 0 : LENGTH - 100);
});

describe('worst cases take steps in proportion to their length', () => {
  it.each(Object.entries(readers))('of %s', (_, read) => {
    const slow: string[] = [];
    for (const [name, text] of worstCases) {
      try {
        countSteps(() => read(text), STEPS_A_CHARACTER * LENGTH);
      } catch (error) {
        slow.push(`${name}: ${error instanceof Error ? `${error.name}: ${error.message}` : error}`);
      }
    }
    expect(slow).toEqual([]);
  });

  it.each([
    ['rows', `,table,_value\n${',t,1\n'.repeat(LENGTH / 5)}`],
    ['columns', `table,_value,${'a,'.repeat(LENGTH / 4)}\n${'t,1\n'.repeat(LENGTH / 8)}`],
  ])('of an answer of InfluxDB with many %s', (_, csv) => {
    expect(countSteps(() => expect(readRecords(csv)).toHaveProperty('samples'), STEPS_A_CHARACTER * LENGTH)).toBeGreaterThan(0);
  });

  it.each<[string, (text: string) => unknown]>([
    ['that looks at all of the rest from each place', (text) => [...text].map((_, at) => text.includes('\u0001', at))],
    [
      'that takes a list apart from its front',
      (text) => {
        for (const list = [...text]; list.length > 0; ) list.shift();
      },
    ],
    ['that seeks a long text', (text) => text.includes(`${text.slice(1, LENGTH / 2)}\u0001`)],
    [
      'that tries a pattern at each place',
      (text) => {
        for (let at = 0; at < text.length; at += 1) /~/.test(text.slice(at));
      },
    ],
    [
      'that catches what stops it',
      (text) => {
        try {
          for (;;) text.trim();
        } catch {
          return;
        }
      },
    ],
  ])('and the count shows a reader %s', (_, read) => {
    expect(() => countSteps(() => read('a'.repeat(LENGTH)), STEPS_A_CHARACTER * LENGTH)).toThrow(StepsExceeded);
  });
});
