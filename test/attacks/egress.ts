import { hostname, networkInterfaces } from 'node:os';
import { externalmetricsElsewhere } from '../contracts/metric-backends/externalmetrics.ts';
import { backendCases } from '../contracts/metric-backends/index.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type AttackClass, attack, type Expectation, harmless, numbered } from './run/attack.ts';
import { listenAt, redirectTo } from './run/listener.ts';
import type { Tenant } from './run/tenant.ts';

/** The same server in other spellings. */
const spellings = (tenant: Tenant, host: string) => `http://${host}:${tenant.field.internal.port}/secret`;
const hook = (url: (tenant: Tenant) => string) => (tenant: Tenant) => tenant.hooked({ url: url(tenant) });
/** Serin reports which address is not allowed, and the flag. */
const refused: Expectation = { names: 'allowed-local-addresses' };
/** No flag allows it. */
const never: Expectation = { names: 'is a metadata service of a cloud' };
const METADATA = 'http://169.254.169.254/latest/meta-data/';
/** Address of the machine besides loopback, if it has one. */
const ownAddress = () =>
  Object.values(networkInterfaces())
    .flatMap((all = []) => all)
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.9';
const template =
  (spec: (tenant: Tenant) => object, secret?: Record<string, string>) =>
  async (tenant: Tenant): Promise<void> => {
    if (secret) await tenant.make(tenant.secret(secret));
    await tenant.measured({
      ...spec(tenant),
      ...(secret && { provider: { ...(spec(tenant) as { provider: object }).provider, secretRef: { name: tenant.name } } }),
    });
  };
/** Every metric backend that is called at the address of its template; the case of its contract knows what it needs. */
const backends = Object.entries({ ...backendCases, externalmetrics: externalmetricsElsewhere }).filter(([, { inCluster }]) => !inCluster);
const FORGED = 'forged.test';
const sneaky = {
  host: 'inner.test',
  'content-length': '0',
  'transfer-encoding': 'chunked',
  connection: 'close, x-scope',
  'proxy-authorization': 'Basic x',
  upgrade: 'h2c',
  te: 'trailers',
};

export const egress: AttackClass = {
  name: 'egress',
  title: 'calls to addresses that the operator does not allow',
  attacks: numbered('EGR', [
    attack(
      'CWE-918',
      'a webhook to an inner server',
      refused,
      hook(({ field }) => field.internal.url('/secret')),
    ),
    ...(
      [
        ['in one number', '2130706441'],
        ['in one hexadecimal number', '0x7f000009'],
        ['in octal numbers', '0177.0.0.011'],
        ['of two parts', '127.9'],
        ['as IPv4 in IPv6', '[::ffff:127.0.0.9]'],
        ['as IPv4 in IPv6, in hexadecimal', '[::ffff:7f00:9]'],
        ['behind NAT64', '[64:ff9b::7f00:9]'],
        ['behind 6to4', '[2002:7f00:9::]'],
        ['in wide digits', '１２７.０.０.９'],
        ['with an ideographic full stop', '127。0。0。9'],
        ['with a user that looks like the host', '127.0.0.66@127.0.0.9'],
        ['with a dot at its end', '127.0.0.9.'],
        ['of no interface', '0.0.0.0'],
        ['of IPv6 loopback', '[::1]'],
        ['with a zone', '[fe80::1%25lo]'],
      ] as const
    ).map(([how, host]) =>
      attack(
        'CWE-918' as const,
        `a webhook to an inner server, its address ${how}`,
        { names: host.includes('%') ? 'webhooks[0].url' : 'allowed-local-addresses' },
        hook((tenant) => spellings(tenant, host)),
      ),
    ),
    attack(
      'CWE-918',
      'a webhook to the name of this machine',
      harmless,
      hook((tenant) => spellings(tenant, hostname())),
    ),
    attack(
      'CWE-367',
      'a webhook to a name that is loopback',
      harmless,
      hook(() => 'http://localhost:1/x'),
    ),
    attack(
      'issue 44',
      'a webhook to the address of this machine',
      refused,
      hook((tenant) => spellings(tenant, ownAddress())),
    ),
    attack(
      'issue 44',
      'a webhook to a link-local address',
      refused,
      hook(() => 'http://169.254.171.9/x'),
    ),
    ...(['rollout', 'confirm-rollout', 'pre-rollout', 'rollback', 'event'] as const).map((type) =>
      attack(
        'issue 44' as const,
        `a webhook of type ${type} that ends a sidecar of Serin`,
        { names: 'AddressRejected=True' },
        (tenant: Tenant) => tenant.hooked({ type, url: tenant.field.internal.url('/quitquitquit') }),
      ),
    ),
    attack(
      'CWE-918',
      'a metadata service of AWS',
      never,
      hook(() => METADATA),
    ),
    attack(
      'issue 14',
      'a metadata service of AWS, in IPv6',
      never,
      hook(() => 'http://[fd00:ec2::254]/latest/meta-data/'),
    ),
    attack(
      'issue 14',
      'a metadata service of Alibaba',
      never,
      hook(() => 'http://100.100.100.200/latest/meta-data/'),
    ),
    attack(
      'issue 14',
      'a metadata service of Azure',
      never,
      hook(() => 'http://168.63.129.16/machine'),
    ),
    ...['169.254.170.2', '169.254.170.23', '169.254.169.252', '[fe80::a9fe:a9fe]', '[::ffff:a9fe:a9fe]', 'metadata.google.internal'].map(
      (host) =>
        attack(
          'issue 44' as const,
          `a metadata service at ${host}`,
          never,
          hook(() => `http://${host}/x`),
        ),
    ),
    attack(
      'issue 44',
      'a metadata service that a template names',
      never,
      template(() => ({ provider: { address: METADATA } })),
    ),
    attack('issue 44', 'a metadata service that an alert names', never, (tenant) => tenant.alerted({ address: METADATA })),
    attack(
      'issue 44',
      'a metadata service through the own proxy',
      never,
      template(({ field }) => ({ provider: { address: METADATA, proxy: field.own.url('') } })),
    ),
    attack('issue 44', 'a redirect of a webhook to a metadata service', never, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, redirectTo(METADATA, 307));
      await tenant.hooked();
    }),
    attack(
      'issue 44',
      'a redirect of a webhook that carries a password, to another server of the tenant',
      { names: 'its credentials go nowhere else' },
      async (tenant) => {
        const other = await listenAt('127.0.0.66');
        tenant.field.stops.push(() => other.stop());
        tenant.field.own.answers(`/${tenant.name}`, (request, response) => {
          if (request.headers.authorization !== undefined) redirectTo(other.url('/stolen'), 307)(request, response);
          else response.end('{}');
        });
        await tenant.hooked({ url: tenant.field.own.url(`/${tenant.name}`).replace('//', '//me:word@') });
      },
    ),
    ...['file:///etc/passwd', 'gopher://127.0.0.9:1/_x', 'unix:/var/run/docker.sock', 'javascript:1', '//127.0.0.9/x'].map((url) =>
      attack(
        'CWE-918' as const,
        `a webhook to ${url}`,
        { names: 'webhooks[0].url' },
        hook(() => url),
      ),
    ),
    attack(
      'CWE-93',
      'a line end in the address',
      {
        async holds({ field }) {
          if (field.own.received().some(({ headers }) => headers.host === 'inner.test')) throw new Error('the address set a header');
        },
      },
      hook(({ field }) => `${field.own.url('/x')}\r\nHost: inner.test\r\n\r\nGET /`),
    ),
    ...[301, 302, 307, 308].map((status) =>
      attack(
        'CVE-2020-8561' as const,
        `a redirect (${status}) of a webhook to an inner server`,
        { names: 'no answer from' },
        async (tenant: Tenant) => {
          tenant.field.own.answers(`/${tenant.name}`, redirectTo(tenant.field.internal.url('/redirected'), status));
          await tenant.hooked();
        },
      ),
    ),
    attack('CWE-601', 'redirects without an end', { names: 'no answer from' }, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, redirectTo(tenant.field.own.url(`/${tenant.name}`), 307));
      await tenant.hooked();
    }),
    attack('CVE-2020-8559', 'a redirect of a query to an inner server', { names: 'it redirects' }, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, redirectTo(tenant.field.internal.url('/redirected')));
      await tenant.measured({});
    }),
    attack('CVE-2020-8559', 'a redirect of an alert to an inner server', harmless, async (tenant) => {
      tenant.field.own.answers(`/${tenant.name}`, redirectTo(tenant.field.internal.url('/redirected'), 307));
      await tenant.alerted({});
    }),
    ...backends.map(([type, { source, query }]) =>
      attack(
        'crd' as const,
        `a template of ${type} with an inner address`,
        refused,
        template(({ field }) => ({ provider: { ...source.provider, type, address: field.internal.url('/secret') }, query }), source.secret),
      ),
    ),
    attack('crd', 'a metrics server of the Canary that is an inner one', refused, (tenant) =>
      tenant.release(
        { metrics: [{ name: 'm', query: 'up', thresholdRange: { min: 0 } }] },
        { metricsServer: tenant.field.internal.url('') },
      ),
    ),
    attack('crd', 'an alert to an inner server', refused, (tenant) => tenant.alerted({ address: tenant.field.internal.url('/alert') })),
    attack('CWE-367', 'an alert to an inner server, from a Secret', refused, async (tenant) => {
      await tenant.make(tenant.secret({ address: tenant.field.internal.url('/alert') }, { 'serin.dev/secret': 'referenced' }));
      await tenant.alerted({ address: undefined, secretRef: { name: tenant.name } });
    }),
    attack(
      'issue 14',
      'a query through a proxy that is an inner server',
      refused,
      template(({ field }) => ({ provider: { proxy: field.internal.url('') } })),
    ),
    attack('issue 14', 'an alert through a proxy that is an inner server', refused, (tenant) =>
      tenant.alerted({ proxy: tenant.field.internal.url('') }),
    ),
    attack(
      'issue 14',
      'a query to an inner server through the own proxy',
      refused,
      template((tenant) => ({ provider: { address: tenant.field.internal.url('/secret'), proxy: tenant.field.own.url('') } })),
    ),
    attack(
      'issue 14',
      'a query through a proxy without a scheme',
      { names: 'proxy' },
      template(({ field }) => ({ provider: { proxy: `127.0.0.9:${field.internal.port}` } })),
    ),
    ...Object.entries(sneaky).map(([name, value]) =>
      attack(
        'issue 14' as const,
        `the header ${name} in a template`,
        { names: 'headers' },
        template(() => ({ provider: { headers: { [name]: [value] } } })),
      ),
    ),
    attack(
      'CWE-93',
      'a header with a line end',
      { names: 'header' },
      template(() => ({ provider: { headers: { 'x-a': ['b\r\nx-evil: 1'] } } })),
    ),
    // A receiver that serves several tenants tells their calls apart by these.
    ...['host', 'Idempotency-Key', 'X-Serin-Request-Id', 'X-Serin-Signature-256', 'X-Serin-Request-Signature-256'].map((header) =>
      attack(
        header === 'host' ? ('issue 14' as const) : ('CWE-345' as const),
        `the header ${header} in the Secret of a webhook`,
        {
          async holds(tenant: Tenant) {
            await eventually('the Secret is refused', () => tenant.words().includes(`its key header.${header} makes no header`));
            if (tenant.field.own.received(`/${tenant.name}`).some(({ headers }) => JSON.stringify(headers).includes(FORGED)))
              throw new Error(`the Secret chose the header ${header}`);
          },
        },
        async (tenant: Tenant) => {
          await tenant.make(tenant.secret({ [`header.${header}`]: FORGED }));
          await tenant.hooked({ secretRef: { name: tenant.name } });
        },
      ),
    ),
  ]),
  uncovered: [
    'DNS that changes between the check and the call: needs a name server; pinned in src/outgoing/dangers.integration.test.ts.',
    'names of *.nip.io and the like: no DNS here.',
  ],
};
