import { gzipSync } from 'node:zlib';
import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
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
    attack('issue 14', 'a query of loops within loops, 40 deep', { names: 'query' }, query(loops(40), { templateVariables: variables })),
    attack(
      'CWE-400',
      'a query of loops, 12 deep, each three times',
      { names: 'query' },
      query(loops(12), { templateVariables: variables }),
    ),
    attack('issue 14', 'a query of openers without an end', { names: 'query' }, query('{{'.repeat(LONGEST / 2))),
    attack('issue 14', 'a query of half an action, 6,000 times', { names: 'query' }, query('{{target '.repeat(6000))),
    attack('CWE-674', 'parentheses 10,000 deep', { names: 'query' }, query(`{{ ${'('.repeat(10_000)}target${')'.repeat(10_000)} }}`)),
    attack('CWE-770', 'a width of a billion characters', { names: 'query' }, query('{{ printf "%999999999d" 1 }}')),
    attack('CWE-770', 'a width by argument', { names: 'query' }, query('{{ printf "%*d" 999999999 1 }}')),
    attack('CWE-409', 'a text that doubles 60 times', { names: 'query' }, query(doubling)),
    attack('docs', 'a query that is one character too long', { names: 'query' }, query('x'.repeat(LONGEST + 1))),
    attack(
      'CWE-1321',
      'the prototype as a variable',
      { names: 'query' },
      query('{{ variables.__proto__ }}{{ variables.constructor }}', { templateVariables: { ok: '1' } }),
    ),
    attack('CVE-2022-24348', 'a function that reads the environment', { names: 'query' }, query('{{ env "HOME" }}')),
    attack('CVE-2022-24348', 'a function that is called by value', { names: 'query' }, query('{{ call target }}')),
    attack(
      'CWE-674',
      'a template that includes itself',
      { names: 'query' },
      query('{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}'),
    ),
    attack('CWE-1321', 'a method of a value', { names: 'query' }, query('{{ target.constructor.constructor "return process" }}')),
    attack('CWE-681', 'a slice far outside', { names: 'query' }, query('{{ slice target 99999999999999999999 }}')),
    attack('CWE-681', 'an index of a negative number', { names: 'query' }, query('{{ index target -1 }}')),
    attack('CWE-400', 'a comment without an end', { names: 'query' }, query(`{{/* ${'*'.repeat(60_000)}`)),
    attack(
      'CWE-74',
      'a variable that is a template is not rendered again',
      {
        async holds(tenant) {
          await tenant.ends();
          if (!asked(tenant).includes('{{ target }}{{ namespace }}')) throw new Error(`asked was ${asked(tenant)}`);
        },
      },
      (tenant) => tenant.measured({ query: 'up{x="{{ variables.x }}"}' }, { templateVariables: { x: '{{ target }}{{ namespace }}' } }),
    ),
    attack(
      'CWE-93',
      'a variable with a line end and another parameter stays in the query',
      {
        async holds(tenant) {
          await tenant.called();
          const parameters = tenant.field.own
            .received(`/${tenant.name}`)
            .map(({ path, body }) => new URLSearchParams(body || path.split('?')[1]));
          for (const found of parameters) if (found.get('time') === '1') throw new Error('the variable set another parameter');
        },
      },
      (tenant) => tenant.measured({ query: '{{ variables.x }}' }, { templateVariables: { x: 'up\r\nHost: inner&time=1#' } }),
    ),
    attack('issue 14', 'an address of 8,000 slashes', harmless, (tenant) =>
      tenant.measured({ provider: { address: `${tenant.field.own.url('/')}${'/'.repeat(8000)}x` } }),
    ),
    attack('issue 14', 'an error of 4 MB under a Secret of 60 KB', harmless, async (tenant) => {
      await tenant.make(tenant.secret({ token: 'a'.repeat(60_000) }));
      tenant.field.own.answers(`/${tenant.name}`, json({ status: 'error', error: 'a'.repeat(4 * MEGABYTE) }, 422));
      await tenant.measured({ provider: { secretRef: { name: tenant.name } } });
    }),
    attack(
      'CWE-409',
      'a gzip bomb of 100 MB',
      harmless,
      answered((_, response) =>
        response
          .writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
          .end(gzipSync(Buffer.alloc(100 * MEGABYTE, 32))),
      ),
    ),
    attack('CWE-674', 'an answer that is nested 500,000 deep', harmless, answered(json('['.repeat(500_000) + ']'.repeat(500_000)))),
    attack(
      'CWE-1321',
      'an answer that sets a prototype',
      harmless,
      answered(json('{"__proto__":{"status":"success","data":{"result":[{"value":[1,"1"]}]}}}')),
    ),
    attack(
      'CVE-2023-40584',
      'an answer of 40,000 series',
      harmless,
      answered(
        json({
          status: 'success',
          data: { resultType: 'vector', result: Array.from({ length: 40_000 }, (_, n) => ({ metric: { n: `${n}` }, value: [1, '1'] })) },
        }),
      ),
    ),
    ...['NaN', '+Inf', '1e999', '0x10', '', ' ', '1;2'].map((value) =>
      attack(
        'CWE-681' as const,
        `an answer whose value is "${value}" promotes nothing that it should not`,
        {
          async holds(tenant: Tenant) {
            const { phase } = await tenant.ends();
            if (phase !== 'Failed') throw new Error(`a value of "${value}" was within max 5`);
          },
        },
        async (tenant: Tenant) => {
          tenant.field.own.answers(`/${tenant.name}`, sample(value));
          await tenant.measured({}, { thresholdRange: { max: 5 } });
        },
      ),
    ),
    attack('issue 14', 'sixty metrics, each answered with 5 MB', harmless, async (tenant) => {
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
    }),
    attack('CWE-400', 'an answer that never ends', harmless, answered(endless, { provider: { timeout: '3s' } })),
    attack(
      'CWE-400',
      'a Retry-After of a year, with retries',
      harmless,
      answered(json({}, 429, { 'retry-after': '31536000' }), { provider: { retries: 10, timeout: '3s' } }),
    ),
    attack(
      'CWE-400',
      'ten thousand headers in an answer',
      harmless,
      answered((_, response) => {
        for (let n = 0; n < 10_000; n += 1) response.setHeader(`x-${n}`, 'y');
        response.end('{}');
      }),
    ),
    attack('CWE-1321', 'a query of JSON that sets a prototype, for CloudWatch', harmless, (tenant) =>
      tenant.measured({ provider: { type: 'cloudwatch', region: 'eu-west-1' }, query: '[{"__proto__":{"Id":"m"},"Expression":"x"}]' }),
    ),
    attack('CWE-918', 'a region that is a host', { names: 'region' }, (tenant) =>
      tenant.measured({ provider: { type: 'cloudwatch', region: 'x.evil.test/#' }, query: '[{"Id":"m","Expression":"x"}]' }),
    ),
    attack('issue 14', 'an inline query of loops', { names: 'query' }, (tenant) =>
      tenant.release({ metrics: [{ name: 'm', query: loops(40), templateVariables: variables, thresholdRange: { min: 0 } }] }),
    ),
    attack('crd', 'a baseline query of loops', { names: 'query' }, (tenant) =>
      tenant.release({
        metrics: [{ name: 'm', query: 'up', baseline: { query: loops(40), maxRatio: 2 }, templateVariables: variables }],
      }),
    ),
    attack('crd', 'a traffic query of loops', { names: 'uery' }, (tenant) =>
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
    ),
  ]),
  uncovered: [
    'Prometheus itself: a tenant can query the series of others from a metrics server that all share, and run expensive queries. A server with tenants (spec.metricsServer) is the remedy.',
    'answers of CloudWatch and Stackdriver: the suite has no server of them; their parsers are fuzzed (test/worst-cases.simulated.test.ts).',
  ],
};
