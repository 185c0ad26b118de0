import { expect } from 'vitest';
import { saltIdOf } from '../../src/workloads/configs/salt.ts';
import { readJournal } from '../../src/workloads/journal-record.ts';
import { guessedPins, holdingPin, knownSalt } from '../fakes/guessed-pins.ts';
import { raw } from '../fakes/raw.ts';
import { aDeployment } from '../scenarios/troubles/objects.ts';
import { type AttackClass, attack, harmless, numbered } from './run/attack.ts';
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
    ...[200, 401, 403, 418, 500].map((status) =>
      attack(
        'CWE-918' as const,
        `an inner server that answers a webhook with ${status}`,
        { names: 'allowed-local-addresses' },
        async (tenant: Tenant) => {
          tenant.field.internal.answers(`/${tenant.name}`, (request, response) => inner(tenant, status)(request, response));
          await tenant.hooked({ url: tenant.field.internal.url(`/${tenant.name}`) });
        },
      ),
    ),
    attack(
      'CWE-918',
      'a query to an inner server',
      { names: 'allowed-local-addresses' },
      query(({ field }) => ({ address: field.internal.url(INSIDE) })),
    ),
    attack(
      'CWE-918',
      'a query to an inner server, of Graphite',
      { names: 'allowed-local-addresses' },
      query(({ field }) => ({ type: 'graphite', address: field.internal.url(INSIDE) }), 'target=a'),
    ),
    attack(
      'CWE-918',
      'a query to an inner server, of InfluxDB',
      { names: 'allowed-local-addresses' },
      query(({ field }) => ({ type: 'influxdb', address: field.internal.url(INSIDE) })),
    ),
    attack('CWE-918', 'a metrics server that is an inner one', { names: 'allowed-local-addresses' }, (tenant) =>
      tenant.release(
        { metrics: [{ name: 'm', query: 'up', thresholdRange: { min: 0 } }] },
        { metricsServer: tenant.field.internal.url(INSIDE) },
      ),
    ),
    attack('CWE-918', 'an alert to an inner server', { names: 'allowed-local-addresses' }, (tenant) =>
      tenant.alerted({ address: tenant.field.internal.url(INSIDE) }),
    ),
    attack('CVE-2020-8561', 'a redirect of a webhook to an inner server', { names: 'allowed-local-addresses' }, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, redirectTo(tenant.field.internal.url(INSIDE), 307));
      await tenant.hooked();
    }),
    attack(
      'issue 14',
      'an inner server through a proxy',
      { names: 'allowed-local-addresses' },
      query(({ field }) => ({ proxy: field.internal.url('') })),
    ),
    attack('issue 14', 'an alert through a proxy that is an inner server', { names: 'allowed-local-addresses' }, (tenant) =>
      tenant.alerted({ proxy: tenant.field.internal.url('') }),
    ),
    attack('CWE-441', 'a webhook to the API server', harmless, async (tenant) =>
      tenant.hooked({ url: `${await apiOf(tenant)}/api/v1/namespaces/shop/secrets` }),
    ),
    attack('CWE-441', 'a query to the API server', { names: 'cannot be queried' }, async (tenant) =>
      tenant.measured({ provider: { address: `${await apiOf(tenant)}/api/v1/namespaces/shop/secrets/metrics?` } }),
    ),
    attack('CVE-2024-31989', 'a webhook to the metrics of Serin', harmless, (tenant) =>
      tenant.hooked({ url: `http://127.0.0.1:${tenant.field.controllerPort}/metrics` }),
    ),
    attack('CVE-2022-24817', 'a webhook to the own server carries no credential of Serin', unsigned, async (tenant) => {
      await tenant.hooked();
      await tenant.called();
    }),
    attack('CVE-2022-24817', 'a query to the own server carries no credential of Serin', unsigned, async (tenant) => {
      await tenant.measured({});
      await tenant.called();
    }),
    attack('CWE-441', 'an external metric at the own server carries no token of Serin', unsigned, async (tenant) => {
      await tenant.measured({ provider: { type: 'externalmetrics' }, query: 'queue' });
      await tenant.called();
    }),
    attack('CWE-441', 'a metrics server of the own carries no credential of the flag', unsigned, async (tenant) => {
      await tenant.release(
        { metrics: [{ name: 'm', query: 'up', thresholdRange: { min: 0 } }] },
        { metricsServer: tenant.field.own.url(`/${tenant.name}`) },
      );
      await tenant.called();
    }),
    attack(
      'CWE-441',
      'CloudWatch at the own server, without keys',
      {
        async holds(tenant) {
          await tenant.until('a word', ({ events }) => events.some((event) => event.includes('CloudWatch')));
          expect(tenant.field.own.received(`/${tenant.name}`)).toEqual([]);
        },
      },
      query(() => ({ type: 'cloudwatch', region: 'eu-west-1' }), '[{"Id":"m","Expression":"x"}]'),
    ),
    attack(
      'CVE-2022-24817',
      'Google credentials that name a program and an address',
      {
        async holds(tenant) {
          await tenant.until('a word', ({ events }) =>
            events.some((event) => event.includes('serviceAccountKey') || event.includes('service account')),
          );
          expect(tenant.field.own.received(`/${tenant.name}`)).toEqual([]);
        },
      },
      async (tenant) => {
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
    ),
    attack('CWE-918', 'a key of Google whose token address is the own server', { names: 'cannot be queried' }, async (tenant) => {
      const key = { type: 'service_account', client_email: 'a@b', private_key: 'x', token_uri: tenant.field.own.url(`/${tenant.name}`) };
      await tenant.make(tenant.secret({ project: 'x', serviceAccountKey: JSON.stringify(key) }));
      await tenant.measured({ provider: { type: 'stackdriver', secretRef: { name: tenant.name } } });
    }),
    attack(
      'issue 14',
      'a Secret that is a token of a service account, for the metrics server',
      { names: 'service-account' },
      async (tenant) => {
        const secret = tenant.secret({ token: 'sa-token' }, {}, 'kubernetes.io/service-account-token');
        secret.metadata.annotations = { 'kubernetes.io/service-account.name': 'default' };
        await tenant.make(secret);
        await tenant.release(
          { metrics: [{ name: 'm', query: 'up', thresholdRange: { min: 0 } }] },
          { metricsServer: tenant.field.own.url(`/${tenant.name}`), metricsServerSecretRef: { name: tenant.name } },
        );
      },
    ),
    attack(
      'issue 14',
      'a Secret that is not marked, for the metrics server',
      {
        async holds({ field, name }) {
          expect(JSON.stringify(field.own.received(`/${name}`))).not.toContain('unmarked-token');
        },
      },
      async (tenant) => {
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
    ),
    attack(
      'CWE-200',
      'an answer that repeats the credential of the tenant shows it nowhere',
      {
        async holds(tenant) {
          expect(tenant.words()).not.toContain(`own-credential-${tenant.name}`);
        },
      },
      async (tenant) => {
        await tenant.make(tenant.secret({ token: `own-credential-${tenant.name}` }));
        tenant.field.own.answers(`/${tenant.name}`, (request, response) =>
          response.writeHead(500).end(`failed for ${request.headers.authorization}`),
        );
        await tenant.measured({ provider: { secretRef: { name: tenant.name } } });
        await tenant.ends();
      },
    ),
    attack('CWE-367', 'an answer of an inner server in the middle of a retry', harmless, async (tenant) => {
      let calls = 0;
      tenant.field.own.answers(`/${tenant.name}`, (request, response) =>
        (calls++ % 2 === 0 ? json({}, 500) : redirectTo(tenant.field.internal.url(INSIDE), 307))(request, response),
      );
      await tenant.hooked({ retries: 5 });
    }),
    attack(
      'CWE-200',
      'a PIN in a Secret, tried against all that those may read who may not read Secrets',
      { holds: async (tenant) => expect(await pinsOf(tenant)).toEqual([]) },
      (tenant) => releasePin(tenant),
    ),
    attack(
      'CWE-345',
      'a salt whose bytes are known, made before Serin makes its own',
      {
        async holds(tenant) {
          const canary = await tenant.field.client.get(tenant.canaryRef);
          const checksum = raw(canary)?.status?.trackedConfigs?.[`secret/${tenant.name}-pin`];
          expect(saltIdOf(checksum)).toMatch(/^[0-9a-f]{8}$/);
          expect(saltIdOf(checksum)).not.toBe(knownSalt.id);
        },
      },
      async (tenant) => {
        const { namespace, name } = tenant;
        const { type, data } = knownSalt.render({ metadata: { name, namespace, uid: 'x', generation: 1, resourceVersion: '1' } }, OWNER);
        await tenant.make({ apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-serin-salt`, namespace }, type, data });
        await releasePin(tenant);
      },
    ),
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
