import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { sourceOf } from '../../test/contracts/metric-backends/backend-case.ts';
import { backendCases } from '../../test/contracts/metric-backends/index.ts';
import { type MetricProviderType, type MetricTemplateSpec, metricProviders } from '../api/metric-template.ts';
import { secretProblems, templateProblems } from './template-problems.ts';

/** The MetricTemplate of the contract case of a backend. */
const spec = (type: MetricProviderType, provider: object = {}, more: Partial<MetricTemplateSpec> = {}): MetricTemplateSpec => {
  const known = backendCases[type];
  const source = sourceOf(known, type, 'https://backend.example.com');
  return { provider: { ...source.provider, type, ...provider } as MetricTemplateSpec['provider'], query: known.query, ...more };
};

it.each(metricProviders)('a MetricTemplate of type %s that may work has no problem', (type) => {
  expect(templateProblems(spec(type))).toEqual([]);
});

it.each<[string, MetricTemplateSpec, string, RegExp]>([
  ['a missing address', spec('prometheus', { address: undefined }), 'spec.provider.address', /^is required$/],
  ['an address that is none', spec('graphite', { address: 'graphite:8080' }), 'spec.provider.address', /not an address/],
  ['an address without a scheme', spec('dynatrace', { address: '10.0.0.1:9090' }), 'spec.provider.address', /not an address/],
  ['an address of splunk that is none', spec('splunk', { address: 'ftp://x' }), 'spec.provider.address', /must be an http/],
  ['a proxy that is none', spec('graphite', { proxy: 'proxy:3128' }), 'spec.provider.proxy', /must be an http or https URL/],
  ['a timeout that is none', spec('graphite', { timeout: 'soon' }), 'spec.provider.timeout', /./],
  ['a missing region', spec('cloudwatch', { region: undefined }), 'spec.provider.region', /is required/],
  [
    'no Secret',
    spec('datadog', { secretRef: undefined }),
    'spec.provider',
    /needs spec\.provider\.secretRef: a Secret with datadog_api_key/,
  ],
  ['a window that is none', spec('datadog', {}, { window: '5min' }), 'spec.window', /not a time above 0/],
  ['an empty query', spec('prometheus', {}, { query: ' \n' }), 'spec.query', /is empty/],
  ['counts without a query', spec('prometheus', {}, { counts: { total: 'q', bad: ' ' } }), 'spec.counts.bad', /is empty/],
  [
    'a mistake in the count of all',
    spec('prometheus', {}, { counts: { total: '{{ tarrget }}', bad: 'q' } }),
    'spec.counts.total',
    /tarrget/,
  ],
  ['a query that is not JSON', spec('cloudwatch', {}, { query: 'SELECT' }), 'spec.query', /is not JSON/],
  ['a query of another kind', spec('keptn', {}, { query: 'slo/shop/x' }), 'spec.query', /is not keptnmetric/],
  ['a metric that is none', spec('externalmetrics', {}, { query: 'a/b/c' }), 'spec.query', /is not \[namespace/],
  [
    'a mistake in the template',
    spec('prometheus', {}, { query: 'up{\n  a="{{ tarrget }}"}' }),
    'spec.query',
    /2:9, in \{\{ tarrget \}\}: function "tarrget"/,
  ],
])('%s is a problem, with its field', (_, template, path, message) => {
  expect(templateProblems(template)).toEqual([{ path, message: expect.stringMatching(message) }]);
});

it('a query of the cluster that names another namespace than its template is a problem', () => {
  const problem = [{ path: 'spec.query', message: expect.stringContaining('can read only namespace "ops"') }];
  expect(templateProblems(spec('keptn'), 'ops')).toEqual(problem);
  expect(templateProblems(spec('externalmetrics', {}, { query: 'shop/queue' }), 'ops')).toEqual(problem);
  const fine = [
    templateProblems(spec('keptn'), 'shop'),
    templateProblems(spec('externalmetrics', {}, { query: 'queue' }), 'ops'),
    templateProblems(spec('externalmetrics', { address: 'https://metrics' }, { query: 'shop/queue' }), 'ops'),
    templateProblems(spec('keptn', {}, { query: 'keptnmetric/{{ namespace }}/latency' }), 'ops'),
  ];
  expect(fine.flat()).toEqual([]);
});

it.each<[string, Record<string, string[]>, string]>([
  ['of the connection', { 'X-Scope-OrgID': ['a'], 'Transfer-Encoding': ['chunked'] }, 'has "Transfer-Encoding", which is set by Serin'],
  ['whose name is none', { 'a b': ['c'] }, 'has "a b", which is not a header name'],
  ['with a line break', { 'x-a': ['b\r\nhost: c'] }, 'has "x-a", which has a value with a line break'],
])('a header %s is a problem of its field', (_, headers, message) => {
  const [problem, ...more] = templateProblems(spec('prometheus', { headers }));
  expect([problem?.path, more]).toEqual(['spec.provider.headers', []]);
  expect(problem?.message).toContain(message);
});

it.each([
  ['prometheus', 'username'],
  ['prometheus', 'tokn'],
  ['graphite', 'username'],
  ['graphite', 'user'],
  ['influxdb', 'token'],
  ['influxdb', 'Token'],
] as const)(
  'a Secret of type %s that is only for TLS has no problem; of a Secret with the key %s the missing keys are named',
  (type, key) => {
    const template = spec(type, { secretRef: { name: 'keys' } });
    const files = { 'tls.crt': 'a certificate', 'tls.key': 'its key' };
    for (const tls of [files, { ...files, 'ca.crt': 'an authority', 'keystore.p12': 'of cert-manager' }])
      expect(secretProblems(template, tls)).toEqual([]);
    expect(secretProblems(template, { 'ca.crt': 'an authority', [key]: 'planted' })).toEqual([
      { path: 'spec.provider.secretRef.name', message: expect.stringMatching(/^Secret keys (needs .*password|lacks (token and )?org)/) },
    ]);
  },
);

it('the templates of the examples may work', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'examples', 'metric-template.yaml'), 'utf8');
  const templates = parseAllDocuments(text).flatMap((document) => {
    const object: { kind?: string; spec: MetricTemplateSpec } = document.toJS();
    return object.kind === 'MetricTemplate' ? [object.spec] : [];
  });
  expect(templates.length).toBeGreaterThan(0);
  for (const template of templates) expect(templateProblems(template)).toEqual([]);
});
