import { gzipSync } from 'node:zlib';
import { type AttackClass, numbered } from './run/attack.ts';
import { type Answer, json, sample } from './run/listener.ts';
import type { Tenant } from './run/tenant.ts';

const LONGEST = 65_536;
const MEGABYTE = 1_000_000;
const variables = { a: '1', b: '2', c: '3' };
const loops = (depth: number) => `${'{{ range variables }}'.repeat(depth)}x${'{{ end }}'.repeat(depth)}`;
const query =
  (text: string, metric: object = {}) =>
  (tenant: Tenant) =>
    tenant.checked({ query: text }, metric);
const answered =
  (answer: Answer, template: object = {}, metric: object = {}) =>
  async (tenant: Tenant) => {
    tenant.field.own.answers(`/${tenant.name}`, answer);
    await tenant.measured(template, metric);
    await tenant.called();
  };
const endless: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(timer));
};
const doubling = `{{ $a := target }}${Array.from({ length: 60 }, (_, at) => `{{ $a${at} := printf "%s%s" $a${at - 1 < 0 ? '' : at - 1} $a${at - 1 < 0 ? '' : at - 1} }}`).join('')}{{ $a59 }}`;
/** The queries that Serin sent for it. */
const asked = ({ field, name }: Tenant) =>
  field.own
    .received(`/${name}`)
    .map(({ path, body }) => decodeURIComponent(`${path} ${body}`.replaceAll('+', ' ')))
    .join('\n');

export const templates: AttackClass = {
  name: 'templates',
  title: 'templates, queries and the answers to them',
  attacks: numbered('TPL', [
    {
      what: 'a query of loops within loops, 40 deep',
      from: 'issue 14',
      do: query(loops(40), { templateVariables: variables }),
      expects: { names: 'query' },
    },
    {
      what: 'a query of loops, 12 deep, each three times',
      from: 'CWE-400',
      do: query(loops(12), { templateVariables: variables }),
      expects: { names: 'query' },
    },
    { what: 'a query of openers without an end', from: 'issue 14', do: query('{{'.repeat(LONGEST / 2)), expects: { names: 'query' } },
    { what: 'a query of half an action, 6,000 times', from: 'issue 14', do: query('{{target '.repeat(6000)), expects: { names: 'query' } },
    {
      what: 'parentheses 10,000 deep',
      from: 'CWE-674',
      do: query(`{{ ${'('.repeat(10_000)}target${')'.repeat(10_000)} }}`),
      expects: { names: 'query' },
    },
    { what: 'a width of a billion characters', from: 'CWE-770', do: query('{{ printf "%999999999d" 1 }}'), expects: { names: 'query' } },
    { what: 'a width by argument', from: 'CWE-770', do: query('{{ printf "%*d" 999999999 1 }}'), expects: { names: 'query' } },
    { what: 'a text that doubles 60 times', from: 'CWE-409', do: query(doubling), expects: { names: 'query' } },
    { what: 'a query that is one character too long', from: 'docs', do: query('x'.repeat(LONGEST + 1)), expects: { names: 'query' } },
    {
      what: 'the prototype as a variable',
      from: 'CWE-1321',
      do: query('{{ variables.__proto__ }}{{ variables.constructor }}', { templateVariables: { ok: '1' } }),
      expects: { names: 'query' },
    },
    { what: 'a function that reads the environment', from: 'CVE-2022-24348', do: query('{{ env "HOME" }}'), expects: { names: 'query' } },
    { what: 'a function that is called by value', from: 'CVE-2022-24348', do: query('{{ call target }}'), expects: { names: 'query' } },
    {
      what: 'a template that includes itself',
      from: 'CWE-674',
      do: query('{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}'),
      expects: { names: 'query' },
    },
    {
      what: 'a method of a value',
      from: 'CWE-1321',
      do: query('{{ target.constructor.constructor "return process" }}'),
      expects: { names: 'query' },
    },
    { what: 'a slice far outside', from: 'CWE-681', do: query('{{ slice target 99999999999999999999 }}'), expects: { names: 'query' } },
    { what: 'an index of a negative number', from: 'CWE-681', do: query('{{ index target -1 }}'), expects: { names: 'query' } },
    { what: 'a comment without an end', from: 'CWE-400', do: query(`{{/* ${'*'.repeat(60_000)}`), expects: { names: 'query' } },
    {
      what: 'a variable that is a template is not rendered again',
      from: 'CWE-74',
      do: (tenant) => tenant.measured({ query: 'up{x="{{ variables.x }}"}' }, { templateVariables: { x: '{{ target }}{{ namespace }}' } }),
      expects: {
        async holds(tenant) {
          await tenant.ends();
          if (!asked(tenant).includes('{{ target }}{{ namespace }}')) throw new Error(`asked was ${asked(tenant)}`);
        },
      },
    },
    {
      what: 'a variable with a line end and another parameter stays in the query',
      from: 'CWE-93',
      do: (tenant) => tenant.measured({ query: '{{ variables.x }}' }, { templateVariables: { x: 'up\r\nHost: inner&time=1#' } }),
      expects: {
        async holds(tenant) {
          await tenant.called();
          const parameters = tenant.field.own
            .received(`/${tenant.name}`)
            .map(({ path, body }) => new URLSearchParams(body || path.split('?')[1]));
          for (const found of parameters) if (found.get('time') === '1') throw new Error('the variable set another parameter');
        },
      },
    },
    {
      what: 'an address of 8,000 slashes',
      from: 'issue 14',
      do: (tenant) => tenant.measured({ provider: { address: `${tenant.field.own.url('/')}${'/'.repeat(8000)}x` } }),
      expects: { harmless: true },
    },
    {
      what: 'an error of 4 MB under a Secret of 60 KB',
      from: 'issue 14',
      async do(tenant) {
        await tenant.make(tenant.secret({ token: 'a'.repeat(60_000) }));
        tenant.field.own.answers(`/${tenant.name}`, json({ status: 'error', error: 'a'.repeat(4 * MEGABYTE) }, 422));
        await tenant.measured({ provider: { secretRef: { name: tenant.name } } });
      },
      expects: { harmless: true },
    },
    {
      what: 'a gzip bomb of 100 MB',
      from: 'CWE-409',
      do: answered((_, response) =>
        response
          .writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
          .end(gzipSync(Buffer.alloc(100 * MEGABYTE, 32))),
      ),
      expects: { harmless: true },
    },
    {
      what: 'an answer that is nested 500,000 deep',
      from: 'CWE-674',
      do: answered(json('['.repeat(500_000) + ']'.repeat(500_000))),
      expects: { harmless: true },
    },
    {
      what: 'an answer that sets a prototype',
      from: 'CWE-1321',
      do: answered(json('{"__proto__":{"status":"success","data":{"result":[{"value":[1,"1"]}]}}}')),
      expects: { harmless: true },
    },
    {
      what: 'an answer of 40,000 series',
      from: 'CVE-2023-40584',
      do: answered(
        json({
          status: 'success',
          data: { resultType: 'vector', result: Array.from({ length: 40_000 }, (_, n) => ({ metric: { n: `${n}` }, value: [1, '1'] })) },
        }),
      ),
      expects: { harmless: true },
    },
    ...['NaN', '+Inf', '1e999', '0x10', '', ' ', '1;2'].map((value) => ({
      what: `an answer whose value is "${value}" promotes nothing that it should not`,
      from: 'CWE-681' as const,
      do: async (tenant: Tenant) => {
        tenant.field.own.answers(`/${tenant.name}`, sample(value));
        await tenant.measured({}, { thresholdRange: { max: 5 } });
      },
      expects: {
        async holds(tenant: Tenant) {
          const { phase } = await tenant.ends();
          if (phase !== 'Failed') throw new Error(`a value of "${value}" was within max 5`);
        },
      },
    })),
    {
      what: 'sixty metrics, each answered with 5 MB',
      from: 'issue 14',
      async do(tenant) {
        tenant.field.own.answers(
          `/${tenant.name}`,
          json({
            status: 'success',
            data: { resultType: 'vector', result: [{ metric: { x: 'x'.repeat(5 * MEGABYTE - 300) }, value: [1, '1'] }] },
          }),
        );
        await tenant.make(tenant.template({}));
        await tenant.release({
          metrics: Array.from({ length: 60 }, (_, n) => ({
            name: `m${n}`,
            templateRef: { name: tenant.name },
            thresholdRange: { min: 0 },
          })),
        });
        await tenant.called();
      },
      expects: { harmless: true },
    },
    {
      what: 'an answer that never ends',
      from: 'CWE-400',
      do: answered(endless, { provider: { timeout: '3s' } }),
      expects: { harmless: true },
    },
    {
      what: 'a Retry-After of a year, with retries',
      from: 'CWE-400',
      do: answered(json({}, 429, { 'retry-after': '31536000' }), { provider: { retries: 10, timeout: '3s' } }),
      expects: { harmless: true },
    },
    {
      what: 'ten thousand headers in an answer',
      from: 'CWE-400',
      do: answered((_, response) => {
        for (let n = 0; n < 10_000; n += 1) response.setHeader(`x-${n}`, 'y');
        response.end('{}');
      }),
      expects: { harmless: true },
    },
    {
      what: 'a query of JSON that sets a prototype, for CloudWatch',
      from: 'CWE-1321',
      do: (tenant) =>
        tenant.measured({ provider: { type: 'cloudwatch', region: 'eu-west-1' }, query: '[{"__proto__":{"Id":"m"},"Expression":"x"}]' }),
      expects: { harmless: true },
    },
    {
      what: 'a region that is a host',
      from: 'CWE-918',
      do: (tenant) =>
        tenant.measured({ provider: { type: 'cloudwatch', region: 'x.evil.test/#' }, query: '[{"Id":"m","Expression":"x"}]' }),
      expects: { names: 'region' },
    },
    {
      what: 'an inline query of loops',
      from: 'issue 14',
      do: (tenant) =>
        tenant.release({ metrics: [{ name: 'm', query: loops(40), templateVariables: variables, thresholdRange: { min: 0 } }] }),
      expects: { names: 'query' },
    },
    {
      what: 'a baseline query of loops',
      from: 'crd',
      do: (tenant) =>
        tenant.release({
          metrics: [{ name: 'm', query: 'up', baseline: { query: loops(40), maxRatio: 2 }, templateVariables: variables }],
        }),
      expects: { names: 'query' },
    },
    {
      what: 'a traffic query of loops',
      from: 'crd',
      do: (tenant) =>
        tenant.release({
          metrics: [
            {
              name: 'm',
              query: 'up',
              thresholdRange: { min: 0 },
              minimumRequests: 1,
              trafficQuery: loops(40),
              templateVariables: variables,
            },
          ],
        }),
      expects: { names: 'uery' },
    },
  ]),
  uncovered: [
    'Prometheus itself: a tenant can query the series of others from a metrics server that all share, and run expensive queries. A server with tenants (spec.metricsServer) is the remedy.',
    'answers of CloudWatch and Stackdriver: the suite has no server of them; their parsers are fuzzed (test/worst-cases.simulated.test.ts).',
  ],
};
