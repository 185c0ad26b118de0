import { expect } from 'vitest';
import { saltIdOf } from '../../src/workloads/configs/salt.ts';
import { readJournal } from '../../src/workloads/journal-record.ts';
import { guessedPins, holdingPin, knownSalt } from '../fakes/guessed-pins.ts';
import { raw } from '../fakes/raw.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { type AttackClass, numbered } from './run/attack.ts';
import { json, redirectTo } from './run/listener.ts';
import type { Tenant } from './run/tenant.ts';

const INSIDE = '/secret';
/** No credential of Serin's own comes to the tenant. */
const unsigned = {
  async holds({ field, name }: Tenant) {
    const received = field.own.received(`/${name}`);
    expect(received.length).toBeGreaterThan(0);
    for (const { headers } of received)
      expect([headers.authorization, headers.cookie, headers['proxy-authorization']]).toEqual([undefined, undefined, undefined]);
  },
};
const query =
  (provider: (tenant: Tenant) => object, query = 'up') =>
  (tenant: Tenant) =>
    tenant.measured({ provider: provider(tenant), query });

export const concealment: AttackClass = {
  name: 'concealment',
  title: 'inner servers and credentials, where only local addresses are listed',
  flags: { 'allowed-addresses': '', 'allowed-local-addresses': '127.0.0.1,127.0.0.66' },
  attacks: numbered('CON', [
    ...[200, 401, 403, 418, 500].map((status) => ({
      what: `an inner server that answers a webhook with ${status}`,
      from: 'CWE-918' as const,
      async do(tenant: Tenant) {
        tenant.field.internal.answers(`/${tenant.name}`, (request, response) => inner(tenant, status)(request, response));
        await tenant.hooked({ url: tenant.field.internal.url(`/${tenant.name}`) });
      },
      expects: { names: 'allowed-local-addresses' },
    })),
    {
      what: 'a query to an inner server',
      from: 'CWE-918',
      do: query(({ field }) => ({ address: field.internal.url(INSIDE) })),
      expects: { names: 'allowed-local-addresses' },
    },
    {
      what: 'a query to an inner server, of Graphite',
      from: 'CWE-918',
      do: query(({ field }) => ({ type: 'graphite', address: field.internal.url(INSIDE) }), 'target=a'),
      expects: { names: 'allowed-local-addresses' },
    },
    {
      what: 'a query to an inner server, of InfluxDB',
      from: 'CWE-918',
      do: query(({ field }) => ({ type: 'influxdb', address: field.internal.url(INSIDE) })),
      expects: { names: 'allowed-local-addresses' },
    },
    {
      what: 'a metrics server that is an inner one',
      from: 'CWE-918',
      do: (tenant) =>
        tenant.release(
          { metrics: [{ name: 'm', query: 'up', thresholdRange: { min: 0 } }] },
          { metricsServer: tenant.field.internal.url(INSIDE) },
        ),
      expects: { names: 'allowed-local-addresses' },
    },
    {
      what: 'an alert to an inner server',
      from: 'CWE-918',
      do: (tenant) => tenant.alerted({ address: tenant.field.internal.url(INSIDE) }),
      expects: { names: 'allowed-local-addresses' },
    },
    {
      what: 'a redirect of a webhook to an inner server',
      from: 'CVE-2020-8561',
      async do(tenant) {
        tenant.field.own.answers(`/${tenant.name}`, redirectTo(tenant.field.internal.url(INSIDE), 307));
        await tenant.hooked();
      },
      expects: { names: 'allowed-local-addresses' },
    },
    {
      what: 'an inner server through a proxy',
      from: 'issue 14',
      do: query(({ field }) => ({ proxy: field.internal.url('') })),
      expects: { names: 'allowed-local-addresses' },
    },
    {
      what: 'an alert through a proxy that is an inner server',
      from: 'issue 14',
      do: (tenant) => tenant.alerted({ proxy: tenant.field.internal.url('') }),
      expects: { names: 'allowed-local-addresses' },
    },
    {
      what: 'a webhook to the API server',
      from: 'CWE-441',
      do: async (tenant) => tenant.hooked({ url: `${await apiOf(tenant)}/api/v1/namespaces/shop/secrets` }),
      expects: { harmless: true },
    },
    {
      what: 'a query to the API server',
      from: 'CWE-441',
      do: async (tenant) => tenant.measured({ provider: { address: `${await apiOf(tenant)}/api/v1/namespaces/shop/secrets/metrics?` } }),
      expects: { names: 'cannot be queried' },
    },
    {
      what: 'a webhook to the metrics of Serin',
      from: 'CVE-2024-31989',
      do: (tenant) => tenant.hooked({ url: `http://127.0.0.1:${tenant.field.controllerPort}/metrics` }),
      expects: { harmless: true },
    },
    {
      what: 'a webhook to the own server carries no credential of Serin',
      from: 'CVE-2022-24817',
      async do(tenant) {
        await tenant.hooked();
        await tenant.called();
      },
      expects: unsigned,
    },
    {
      what: 'a query to the own server carries no credential of Serin',
      from: 'CVE-2022-24817',
      async do(tenant) {
        await tenant.measured({});
        await tenant.called();
      },
      expects: unsigned,
    },
    {
      what: 'an external metric at the own server carries no token of Serin',
      from: 'CWE-441',
      async do(tenant) {
        await tenant.measured({ provider: { type: 'externalmetrics' }, query: 'queue' });
        await tenant.called();
      },
      expects: unsigned,
    },
    {
      what: 'a metrics server of the own carries no credential of the flag',
      from: 'CWE-441',
      async do(tenant) {
        await tenant.release(
          { metrics: [{ name: 'm', query: 'up', thresholdRange: { min: 0 } }] },
          { metricsServer: tenant.field.own.url(`/${tenant.name}`) },
        );
        await tenant.called();
      },
      expects: unsigned,
    },
    {
      what: 'CloudWatch at the own server, without keys',
      from: 'CWE-441',
      do: query(() => ({ type: 'cloudwatch', region: 'eu-west-1' }), '[{"Id":"m","Expression":"x"}]'),
      expects: {
        async holds(tenant) {
          await tenant.until('a word', ({ events }) => events.some((event) => event.includes('CloudWatch')));
          expect(tenant.field.own.received(`/${tenant.name}`)).toEqual([]);
        },
      },
    },
    {
      what: 'Google credentials that name a program and an address',
      from: 'CVE-2022-24817',
      async do(tenant) {
        const key = {
          type: 'external_account',
          audience: 'x',
          subject_token_type: 'x',
          token_url: tenant.field.own.url(`/${tenant.name}`),
          credential_source: { executable: { command: 'touch /tmp/serin-pwned' } },
        };
        await tenant.make(tenant.secret({ project: 'x', serviceAccountKey: JSON.stringify(key) }));
        await tenant.measured({ provider: { type: 'stackdriver', secretRef: { name: tenant.name } } });
      },
      expects: {
        async holds(tenant) {
          await tenant.until('a word', ({ events }) =>
            events.some((event) => event.includes('serviceAccountKey') || event.includes('service account')),
          );
          expect(tenant.field.own.received(`/${tenant.name}`)).toEqual([]);
        },
      },
    },
    {
      what: 'a key of Google whose token address is the own server',
      from: 'CWE-918',
      async do(tenant) {
        const key = { type: 'service_account', client_email: 'a@b', private_key: 'x', token_uri: tenant.field.own.url(`/${tenant.name}`) };
        await tenant.make(tenant.secret({ project: 'x', serviceAccountKey: JSON.stringify(key) }));
        await tenant.measured({ provider: { type: 'stackdriver', secretRef: { name: tenant.name } } });
      },
      expects: { names: 'cannot be queried' },
    },
    {
      what: 'a Secret that is a token of a service account, for the metrics server',
      from: 'issue 14',
      async do(tenant) {
        const secret = tenant.secret({ token: 'sa-token' }, {}, 'kubernetes.io/service-account-token');
        secret.metadata.annotations = { 'kubernetes.io/service-account.name': 'default' };
        await tenant.make(secret);
        await tenant.release(
          { metrics: [{ name: 'm', query: 'up', thresholdRange: { min: 0 } }] },
          { metricsServer: tenant.field.own.url(`/${tenant.name}`), metricsServerSecretRef: { name: tenant.name } },
        );
      },
      expects: { names: 'service-account' },
    },
    {
      what: 'a Secret that is not marked, for the metrics server',
      from: 'issue 14',
      async do(tenant) {
        await tenant.make(tenant.secret({ token: 'unmarked-token' }));
        await tenant.release(
          { metrics: [{ name: 'm', query: 'up', thresholdRange: { min: 0 } }] },
          { metricsServer: tenant.field.own.url(`/${tenant.name}`), metricsServerSecretRef: { name: tenant.name } },
        );
        await tenant.until(
          'a word or an end',
          ({ phase, events, conditions }) =>
            phase === 'Failed' ||
            phase === 'Succeeded' ||
            [...events, ...conditions.map(({ message }) => message)].some((text) => text.includes('label')),
        );
      },
      expects: {
        async holds({ field, name }) {
          expect(JSON.stringify(field.own.received(`/${name}`))).not.toContain('unmarked-token');
        },
      },
    },
    {
      what: 'an answer that repeats the credential of the tenant shows it nowhere',
      from: 'CWE-200',
      async do(tenant) {
        await tenant.make(tenant.secret({ token: `own-credential-${tenant.name}` }));
        tenant.field.own.answers(`/${tenant.name}`, (request, response) =>
          response.writeHead(500).end(`failed for ${request.headers.authorization}`),
        );
        await tenant.measured({ provider: { secretRef: { name: tenant.name } } });
        await tenant.ends();
      },
      expects: {
        async holds(tenant) {
          expect(tenant.words()).not.toContain(`own-credential-${tenant.name}`);
        },
      },
    },
    {
      what: 'an answer of an inner server in the middle of a retry',
      from: 'CWE-367',
      async do(tenant) {
        let calls = 0;
        tenant.field.own.answers(`/${tenant.name}`, (request, response) =>
          (calls++ % 2 === 0 ? json({}, 500) : redirectTo(tenant.field.internal.url(INSIDE), 307))(request, response),
        );
        await tenant.hooked({ retries: 5 });
      },
      expects: { harmless: true },
    },
    {
      what: 'a PIN in a Secret, tried against all that those may read who may not read Secrets',
      from: 'CWE-200',
      do: (tenant) => releasePin(tenant),
      expects: { holds: async (tenant) => expect(await pinsOf(tenant)).toEqual([]) },
    },
    {
      what: 'a salt whose bytes are known, made before Serin makes its own',
      from: 'CWE-345',
      async do(tenant) {
        const { namespace, name } = tenant;
        const { type, data } = knownSalt.render({ metadata: { name, namespace, uid: 'x', generation: 1, resourceVersion: '1' } }, OWNER);
        await tenant.make({ apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-serin-salt`, namespace }, type, data });
        await releasePin(tenant);
      },
      expects: {
        async holds(tenant) {
          const canary = await tenant.field.client.get(tenant.canaryRef);
          const checksum = raw(canary)?.status?.trackedConfigs?.[`secret/${tenant.name}-pin`];
          expect(saltIdOf(checksum)).toMatch(/^[0-9a-f]{8}$/);
          expect(saltIdOf(checksum)).not.toBe(knownSalt.id);
        },
      },
    },
  ]),
  uncovered: ['clouds: credentials of the pod itself (IRSA, workload identity) do not exist here.'],
};

/** The answer that the listener gives to all others, under another status. */
function inner(tenant: Tenant, status: number): (request: unknown, response: import('node:http').ServerResponse) => void {
  return (_, response) => response.writeHead(status, { 'x-secret': tenant.field.inside }).end(`inner word: ${tenant.field.inside}`);
}

async function apiOf(tenant: Tenant): Promise<string> {
  const { readFileSync } = await import('node:fs');
  const { parse } = await import('yaml');
  return parse(readFileSync(tenant.field.environment.kubeconfigFile, 'utf8')).clusters[0].cluster.server;
}

const OWNER = { apiVersion: 'apps/v1', kind: 'ControllerRevision', name: 'x', uid: 'x' };

/** An application whose pods read a PIN, and a release of another one. */
async function releasePin(tenant: Tenant): Promise<void> {
  const { namespace, name } = tenant;
  const secret = { name: `${name}-pin`, namespace };
  await tenant.make({ apiVersion: 'v1', kind: 'Secret', metadata: secret, ...holdingPin('4711') });
  const target = aDeployment(namespace, name);
  Object.assign(raw(target).spec.template.spec.containers[0], { envFrom: [{ secretRef: { name: secret.name } }] });
  await tenant.make(target, tenant.canary());
  await tenant.isReady();
  await tenant.edit(tenant.ref('Secret', secret.name), holdingPin('0815'));
  await tenant.ends();
}

async function pinsOf({ field, namespace, name, canaryRef }: Tenant): Promise<string[]> {
  const kinds = [
    ...[canaryRef, { apiVersion: 'v1', kind: 'Event' }, { apiVersion: 'v1', kind: 'Pod' }],
    ...['Deployment', 'ReplicaSet', 'ControllerRevision'].map((kind) => ({ apiVersion: 'apps/v1', kind })),
  ];
  const lists = await Promise.all(kinds.map(({ apiVersion, kind }) => field.client.list({ apiVersion, kind, namespace })));
  const secrets = await field.client.list({ apiVersion: 'v1', kind: 'Secret', namespace }, { metadataOnly: true });
  const items = lists.flatMap((list) => list.items);
  const text = JSON.stringify([items.map((one) => [one, readJournal(one)]), secrets.items.map(({ metadata }) => metadata)]);
  const [canary, target] = await Promise.all([
    field.client.get(canaryRef),
    field.client.get({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace }),
  ]);
  expect(raw(canary)?.status?.trackedConfigs).toHaveProperty(`secret/${name}-pin`);
  return target ? guessedPins(text, `${name}-pin`, canary?.metadata.uid ?? '', target) : [];
}
