import { parseDuration } from '../../src/api/duration.ts';
import { meshProviderOf } from '../../src/api/mesh-provider.ts';
import { namesPlaceholder } from '../../src/api/placeholder.ts';
import { parseQuantity } from '../../src/api/quantity.ts';
import { rootService } from '../../src/api/traffic-split.ts';
import { readRequest } from '../../src/api/verb-request.ts';
import { fieldPath, fieldSteps } from '../../src/base/field-path.ts';
import { hideSecrets, userInfoOf } from '../../src/base/hide-secrets.ts';
import { apiErrorOf, namesAnObject } from '../../src/kube/errors.ts';
import { parseLabelSelector } from '../../src/kube/label-selector-text.ts';
import { baseUrl } from '../../src/metrics/http/base-url.ts';
import { readExternalQuery } from '../../src/metrics/providers/externalmetrics.ts';
import { readRecords } from '../../src/metrics/providers/influxdb.ts';
import { readKeptnQuery } from '../../src/metrics/providers/keptn-query.ts';
import { readMetricDataQueries } from '../../src/metrics/providers/metric-data-query.ts';
import { checkedResponse } from '../../src/metrics/providers/prometheus-response.ts';
import { splunkUrls } from '../../src/metrics/providers/splunk.ts';
import { checkTemplate, renderQuery } from '../../src/metrics/query-template.ts';
import { templateProblems } from '../../src/metrics/template-problems.ts';
import { formats } from '../../src/notifiers/index.ts';
import { escapeMarkup, inertText } from '../../src/notifiers/inert-text.ts';
import type { AlertMessage } from '../../src/notifiers/notifier.ts';
import { receiverProblems } from '../../src/notifiers/receiver-problems.ts';
import { slack } from '../../src/notifiers/slack.ts';
import { tlsFiles } from '../../src/outgoing/tls-files.ts';
import { readAnchoredPattern } from '../../src/routers/anchored-pattern.ts';
import { checkRegex } from '../../src/routers/checked-regex.ts';
import { pairOfPattern } from '../../src/routers/cookie.ts';
import { re2Problem, textOfPattern, unescapeRegex } from '../../src/routers/regex-text.ts';
import { rejectionOf } from '../../src/routers/routing-error.ts';
import { foreignPredicates, readMatch, splitPredicates } from '../../src/routers/skipper/predicates.ts';
import { oneLine } from '../../src/webhooks/call-webhook.ts';
import { hookCredentials } from '../../src/webhooks/hook-secret.ts';
import { primaryQuery } from '../../src/workloads/scalers/primary-queries.ts';
import { loadTesterReaders } from './load-tester-readers.ts';
import { LENGTH } from './worst-cases.ts';

const variables = {
  ...{ name: 'app', namespace: 'shop', target: 'app', service: 'app', ingress: 'app', route: 'app', interval: '1m' },
  variables: { a: 'first', b: 'second', c: 'third' },
};
const alertOf = (text: string): AlertMessage => ({
  ...{ key: text, canary: { name: 'app', namespace: 'shop' }, severity: 'error', reason: 'RolledBack', text, atMs: 0 },
  fields: [{ name: text, value: text }],
});
const halves = (text: string) => [text.slice(0, LENGTH / 2), text.slice(LENGTH / 2)] as const;

/** All that reads a text which a tenant, or a server that a tenant names, has written. */
export const textReaders: Readonly<Record<string, (text: string) => unknown>> = {
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
  'an answer of Prometheus': (text) => checkedResponse(text),
  'an answer of InfluxDB': (text) => readRecords(`,table,_value\n${text.replaceAll('\n', '')}\n`),
  'a quantity': parseQuantity,
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
  'a pattern of a user': (text) => [re2Problem(text), rejectionOf(() => checkRegex({ regex: text }, 'match', 'RE2'))],
  'a cookie of a route': (text) => [pairOfPattern(text), pairOfPattern(`.*${text}.*`), pairOfPattern(`(.*; ?)?${text}(;.*)?`)],
  'predicates of Skipper': (text) => [foreignPredicates(text), readMatch(splitPredicates(text), [], undefined)],
  'a query of KEDA': (text) => [primaryQuery(text, 'app', 'prometheus'), primaryQuery(text, 'app')],
  ...loadTesterReaders,
  'labels by a selector': (text) => {
    const selector = parseLabelSelector(text);
    return 'matches' in selector ? selector.matches({ a: text, app: 'b' }) : selector;
  },
  'words in a receiver without escapes': inertText,
  'an answer of Slack': (text) => slack.failureIn?.(text),
  'a receiver of alerts': (text) => receiverProblems({ type: 'slack', address: text, proxy: text }),
  ...Object.fromEntries(
    Object.entries(formats).map(([kind, format]) => [
      `an alert of ${kind}`,
      (text: string) => format.body(alertOf(text), { address: text, channel: text, username: text }),
    ]),
  ),
  'a Secret of a webhook': (text) => {
    const read = hookCredentials({ signingKey: text, 'header.Authorization': text, [`header.${text}`]: 'a' });
    return 'problem' in read ? read : read.headers(text, new URL('http://hook/'), 0);
  },
  'a Secret with TLS': (text) => tlsFiles({ 'tls.crt': text, 'tls.key': text }, { 'ca.crt': text }),
  'a refusal of an API server': (text) => [
    apiErrorOf('what', 403, text).message,
    namesAnObject(text),
    apiErrorOf('what', 403, text).denial,
  ],
};
