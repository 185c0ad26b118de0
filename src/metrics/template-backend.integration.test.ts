import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backendCases } from '../../test/contracts/metric-backends/index.ts';
import { metricProviders } from '../api/metric-template.ts';
import { templateBackend } from './template-backend.ts';

const signal = AbortSignal.timeout(60_000);
const seen: { url: string; headers: Record<string, unknown> }[] = [];
const server = createServer(({ url = '', headers }, response) => {
  seen.push({ url, headers });
  response.end('{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]}]}}');
});
let address: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Lookups for a metric of a Canary in `shop`, and its result. */
async function looked(templateRef: { name: string; namespace?: string }, provider: object) {
  const lookups: string[] = [];
  const asked: unknown[] = [];
  const found = await templateBackend({ name: 'm', templateRef }, 'shop', {
    template: async (namespace, name) => {
      lookups.push(`template ${namespace}/${name}`);
      return { spec: { provider: { address, ...provider }, query: 'q' } };
    },
    secret: async (namespace, name) => {
      lookups.push(`secret ${namespace}/${name}`);
      return { token: 't0ken' };
    },
    templateAsked: (template, problem) => asked.push([template, problem]),
    nowMs: 0,
    timeoutMs: 60_000,
  });
  return { lookups, asked, result: 'problem' in found ? found : await found.backend.runQuery('a  b\n c', signal) };
}

const secretRef = { name: 'keys' };

it.each([
  ['the Canary', { name: 't' }, ['template shop/t', 'secret shop/keys']],
  ['the reference', { name: 't', namespace: 'ops' }, ['template ops/t', 'secret ops/keys']],
])('the template is of the namespace of %s, and its Secret always of the template’s', async (_, ref, lookups) => {
  expect((await looked(ref, { type: 'prometheus', secretRef })).lookups).toEqual(lookups);
});

it('a missing type is Prometheus, and an unknown one is refused with its name', async () => {
  expect((await looked({ name: 't' }, {})).result).toEqual({ kind: 'value', value: 1 });
  const { result } = await looked({ name: 't' }, { type: 'wavefront' });
  expect(result).toEqual({
    problem: expect.stringMatching(/MetricTemplate shop\/t: spec\.provider\.type wavefront is unknown/),
    code: 'QueryInvalid',
    object: { apiVersion: 'flagger.app/v1beta1', kind: 'MetricTemplate', name: 't', namespace: 'shop' },
    field: 'spec.provider.type',
  });
});

it('headers of the template are sent, without surrounding white space', async () => {
  seen.splice(0);
  await looked({ name: 't' }, { type: 'prometheus', headers: { 'X-Scope-OrgID': ['a', 'b'] } });
  expect(seen).toEqual([{ url: '/api/v1/query?query=a+b+c', headers: expect.objectContaining({ 'x-scope-orgid': 'a, b' }) }]);
});

it('a template whose backend cannot be made is reported with the reason, as is a template whose query fails', async () => {
  const broken = await looked({ name: 't' }, { type: 'prometheus', address: undefined });
  expect(broken.asked).toEqual([[{ namespace: 'shop', name: 't' }, expect.stringMatching(/spec\.provider\.address is required/)]]);
  expect((await looked({ name: 't' }, {})).asked).not.toContainEqual([expect.anything(), expect.any(String)]);
});

it.each(metricProviders.filter((type) => backendCases[type].docs.address.startsWith('needed')))(
  'type %s needs an address',
  async (type) => {
    const { result } = await looked({ name: 't' }, { type, secretRef, address: undefined });
    expect(result).toMatchObject({
      problem: expect.stringMatching(/spec\.provider\.address is required/),
      code: 'QueryInvalid',
      field: 'spec.provider.address',
    });
  },
);

describe('windows of backends that are queried for a time range', () => {
  const secret = { datadog_api_key: 'a', datadog_application_key: 'b', newrelic_account_id: '1', newrelic_query_key: 'c' };
  const askedBy = async (type: string, interval?: string) => {
    seen.splice(0);
    const found = await templateBackend({ name: 'm', ...(interval !== undefined && { interval }), templateRef: { name: 't' } }, 'shop', {
      template: async () => ({ spec: { provider: { type, address, secretRef }, query: 'q' } }),
      secret: async () => secret,
      nowMs: 5_000_000,
      timeoutMs: 60_000,
    });
    if ('problem' in found) return found;
    await found.backend.runQuery('q', signal);
    return new URL(seen[0]?.url ?? '', address).searchParams;
  };

  it.each([
    ['1m', 60],
    ['1m30s', 90],
    ['90s', 90],
    ['100s', 100],
    ['1h', 3600],
    ['', 60],
  ])('New Relic looks back by %j, which is %i s', async (interval, seconds) => {
    const asked = await askedBy('newrelic', interval);
    expect(asked instanceof URLSearchParams && asked.get('nrql')).toBe(`q SINCE ${seconds} seconds ago`);
  });
  it.each(['1min', '1'])('%j is not a time, and is refused with a message', async (interval) => {
    expect(await askedBy('newrelic', interval)).toEqual({ problem: expect.stringMatching(/needs an interval such as 1m or 90s/) });
  });
  it('Datadog looks back ten times the interval', async () => {
    const asked = await askedBy('datadog', '100s');
    if (!(asked instanceof URLSearchParams)) throw new Error(asked.problem);
    expect(Number(asked.get('to')) - Number(asked.get('from'))).toBe(1000);
  });
});
