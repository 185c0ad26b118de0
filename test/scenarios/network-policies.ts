import { describe, expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import type { Mesh } from '../../src/embedded/mesh/index.ts';
import { isForbidden } from '../../src/kube/errors.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { raw } from '../fakes/raw.ts';
import { eventually } from './eventually.ts';
import { until } from './until.ts';
import { ask, fromPod } from './users.ts';
import { afterAll, afterEach, beforeAll } from './world.ts';

const HOME = 'shop';
const AWAY = 'office';
const inHome = (app: string) => ({ podSelector: { matchLabels: { app } } });
const fromAway = { namespaceSelector: { matchLabels: { team: AWAY } } };
const block = (cidr: string, ...except: string[]) => ({ ipBlock: { cidr, ...(except.length > 0 && { except }) } });
const ALL = { podSelector: {} };
const WEB = inHome('web');
const ingress = (...rules: object[]) => ({ ...WEB, ingress: rules });
const egress = (...rules: object[]) => ({ ...inHome('client'), policyTypes: ['Egress'], egress: rules });
const EVERY = 'client:80 client:90 far:80 far:90 outside:80 outside:90';

interface Reach {
  title: string;
  /** Specs of the policies; names of policies of the other namespace begin with its name. */
  policies: readonly (object | [namespace: string, spec: object])[];
  /** Peers that reach each port of Service `shop/web`, whose ports 80 and 90 lead to `http` (8080) and `admin` (9090) of its pod. */
  reaches: string;
}

const reaches: Reach[] = [
  { title: 'no policy: all', policies: [], reaches: EVERY },
  { title: 'no rules: no one', policies: [{ ...ALL, policyTypes: ['Ingress'] }], reaches: '' },
  { title: 'a policy without types isolates ingress', policies: [WEB], reaches: '' },
  { title: 'an empty list of rules: no one', policies: [ingress()], reaches: '' },
  { title: 'an empty rule: all', policies: [ingress({})], reaches: EVERY },
  { title: 'an empty list of peers: all', policies: [ingress({ from: [] })], reaches: EVERY },
  { title: 'a policy that selects other pods isolates none', policies: [inHome('orders')], reaches: EVERY },
  { title: 'a policy of another namespace isolates none', policies: [[AWAY, ALL]], reaches: EVERY },
  { title: 'pods by label: of the same namespace', policies: [ingress({ from: [inHome('client')] })], reaches: 'client:80 client:90' },
  { title: 'all pods: of the same namespace', policies: [ingress({ from: [ALL] })], reaches: 'client:80 client:90' },
  { title: 'a namespace by label', policies: [ingress({ from: [fromAway] })], reaches: 'far:80 far:90' },
  {
    title: 'a namespace by its name',
    policies: [ingress({ from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': AWAY } } }] })],
    reaches: 'far:80 far:90',
  },
  {
    title: 'all namespaces: no address outside',
    policies: [ingress({ from: [{ namespaceSelector: {} }] })],
    reaches: 'client:80 client:90 far:80 far:90',
  },
  { title: 'pods and namespaces: both', policies: [ingress({ from: [{ ...fromAway, ...inHome('client') }] })], reaches: 'far:80 far:90' },
  { title: 'pods and namespaces: one of them is not enough', policies: [ingress({ from: [{ ...fromAway, ...WEB }] })], reaches: '' },
  {
    title: 'two peers: either',
    policies: [ingress({ from: [inHome('client'), fromAway] })],
    reaches: 'client:80 client:90 far:80 far:90',
  },
  {
    title: 'an expression',
    policies: [ingress({ from: [{ podSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] } }] })],
    reaches: 'client:80 client:90',
  },
  { title: 'a range of addresses', policies: [ingress({ from: [block('203.0.113.0/24')] })], reaches: 'outside:80 outside:90' },
  { title: 'a range without a part', policies: [ingress({ from: [block('203.0.113.0/24', '203.0.113.0/28')] })], reaches: '' },
  { title: 'all addresses', policies: [ingress({ from: [block('0.0.0.0/0')] })], reaches: EVERY },
  {
    title: 'a port by number: of the pod',
    policies: [ingress({ ports: [{ port: 8080 }] })],
    reaches: 'client:80 far:80 outside:80',
  },
  { title: 'a port by number: not of the Service', policies: [ingress({ ports: [{ port: 80 }] })], reaches: '' },
  { title: 'a port by name', policies: [ingress({ ports: [{ port: 'admin' }] })], reaches: 'client:90 far:90 outside:90' },
  { title: 'a name that no port has', policies: [ingress({ ports: [{ port: 'grpc' }] })], reaches: '' },
  {
    title: 'a range of ports',
    policies: [ingress({ ports: [{ port: 8000, endPort: 8080 }] })],
    reaches: 'client:80 far:80 outside:80',
  },
  { title: 'another protocol', policies: [ingress({ ports: [{ protocol: 'UDP', port: 8080 }] })], reaches: '' },
  { title: 'a protocol without a port', policies: [ingress({ ports: [{ protocol: 'TCP' }] })], reaches: EVERY },
  { title: 'peers and ports: both', policies: [ingress({ from: [fromAway], ports: [{ port: 'http' }] })], reaches: 'far:80' },
  {
    title: 'rules are alternatives',
    policies: [ingress({ from: [fromAway], ports: [{ port: 'http' }] }, { from: [inHome('client')], ports: [{ port: 9090 }] })],
    reaches: 'client:90 far:80',
  },
  {
    title: 'policies are additive',
    policies: [
      { ...ALL, policyTypes: ['Ingress'] },
      ingress({ from: [fromAway] }),
      ingress({ from: [inHome('client')], ports: [{ port: 'http' }] }),
    ],
    reaches: 'client:80 far:80 far:90',
  },
  { title: 'egress: no rules', policies: [egress()], reaches: 'far:80 far:90 outside:80 outside:90' },
  { title: 'egress: an empty rule', policies: [egress({})], reaches: EVERY },
  {
    title: 'egress: pods and ports by name',
    policies: [egress({ to: [WEB], ports: [{ port: 'admin' }] })],
    reaches: 'client:90 far:80 far:90 outside:80 outside:90',
  },
  { title: 'egress: other pods', policies: [egress({ to: [inHome('orders')] })], reaches: 'far:80 far:90 outside:80 outside:90' },
  { title: 'egress: addresses', policies: [egress({ to: [block('203.0.113.0/24')] })], reaches: 'far:80 far:90 outside:80 outside:90' },
  {
    title: 'egress of another namespace',
    policies: [[AWAY, { ...ALL, policyTypes: ['Egress'], egress: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 8080 }] }] }]],
    reaches: 'client:80 client:90 far:80 outside:80 outside:90',
  },
  {
    title: 'egress of another namespace: its own pods alone',
    policies: [[AWAY, { ...ALL, policyTypes: ['Egress'], egress: [{ to: [ALL] }] }]],
    reaches: 'client:80 client:90 outside:80 outside:90',
  },
  { title: 'both sides have to admit', policies: [ingress({ from: [fromAway] }), egress({})], reaches: 'far:80 far:90' },
  { title: 'rules of egress without types isolate ingress, too', policies: [{ ...ALL, egress: [{}] }], reaches: '' },
  { title: 'egress alone leaves ingress open', policies: [{ ...ALL, policyTypes: ['Egress'], egress: [{}] }], reaches: EVERY },
];

const SERVED: [name: string, given: object | undefined, served: object][] = [
  ['plain', { podSelector: { matchLabels: { app: 'a' } } }, { podSelector: { matchLabels: { app: 'a' } }, policyTypes: ['Ingress'] }],
  ['no-spec', undefined, { podSelector: {}, policyTypes: ['Ingress'] }],
  ['both', { ...ALL, egress: [{}] }, { ...ALL, egress: [{}], policyTypes: ['Ingress', 'Egress'] }],
  ['chosen', { ...ALL, policyTypes: ['Egress'] }, { ...ALL, policyTypes: ['Egress'] }],
  ['no-types', { ...ALL, policyTypes: [] }, { ...ALL, policyTypes: ['Ingress'] }],
  ['no-rules', { ...ALL, ingress: [], egress: [] }, { ...ALL, policyTypes: ['Ingress'] }],
  ['no-peers', { ...ALL, ingress: [{ from: [], ports: [] }] }, { ...ALL, ingress: [{}], policyTypes: ['Ingress'] }],
  [
    'ports',
    { ...ALL, ingress: [{ ports: [{ port: 80 }, { port: 'http' }, { port: 80, endPort: 90, protocol: 'UDP' }] }] },
    {
      ...ALL,
      ingress: [
        {
          ports: [
            { protocol: 'TCP', port: 80 },
            { protocol: 'TCP', port: 'http' },
            { protocol: 'UDP', port: 80, endPort: 90 },
          ],
        },
      ],
      policyTypes: ['Ingress'],
    },
  ],
  [
    'blocks',
    { ...ALL, egress: [{ to: [block('10.0.0.0/8', '10.1.0.0/16'), block('2001:db8::/64')] }], policyTypes: ['Egress'] },
    { ...ALL, egress: [{ to: [block('10.0.0.0/8', '10.1.0.0/16'), block('2001:db8::/64')] }], policyTypes: ['Egress'] },
  ],
];

const from = (peer: object) => ({ ...ALL, ingress: [{ from: [peer] }] });
const port = (entry: object) => ({ ...ALL, ingress: [{ ports: [entry] }] });
const term = (entry: object) => ({ podSelector: { matchExpressions: [entry] } });

const REFUSED: [name: string, given: object, field: string, why: string][] = [
  ['no-peer', from({}), 'spec.ingress[0].from[0]', 'must specify a peer'],
  ['block-and-pods', from({ ...block('10.0.0.0/8'), ...ALL }), 'spec.ingress[0].from[0]', 'may not specify both ipBlock and another peer'],
  ['no-cidr', from({ ipBlock: {} }), 'spec.ingress[0].from[0].ipBlock.cidr', 'Required value'],
  ['word-cidr', from(block('x')), 'spec.ingress[0].from[0].ipBlock.cidr', 'must be a valid CIDR value'],
  ['host-cidr', from(block('10.0.0.1/8')), 'spec.ingress[0].from[0].ipBlock.cidr', 'must not have bits set beyond the prefix length'],
  ['zero-cidr', from(block('10.0.0.0/08')), 'spec.ingress[0].from[0].ipBlock.cidr', 'must not have leading 0s'],
  ['except', from(block('10.0.0.0/8', '11.0.0.0/16')), 'spec.ingress[0].from[0].ipBlock.except[0]', 'must be a strict subset of `cidr`'],
  ['except-all', from(block('10.0.0.0/8', '10.0.0.0/8')), 'spec.ingress[0].from[0].ipBlock.except[0]', 'must be a strict subset of `cidr`'],
  ['protocol', port({ protocol: 'ICMP' }), 'spec.ingress[0].ports[0].protocol', 'supported values: "TCP", "UDP", "SCTP"'],
  ['port-0', port({ port: 0 }), 'spec.ingress[0].ports[0].port', 'must be between 1 and 65535'],
  ['port-name', port({ port: 'no_name' }), 'spec.ingress[0].ports[0].port', 'must contain only alpha-numeric characters'],
  ['end-before', port({ port: 90, endPort: 80 }), 'spec.ingress[0].ports[0].endPort', 'must be greater than or equal to `port`'],
  [
    'end-of-name',
    port({ port: 'http', endPort: 80 }),
    'spec.ingress[0].ports[0].endPort',
    'may not be specified when `port` is non-numeric',
  ],
  ['end-alone', port({ endPort: 80 }), 'spec.ingress[0].ports[0].endPort', 'may not be specified when `port` is not specified'],
  ['types', { ...ALL, policyTypes: ['Ingres'] }, 'spec.policyTypes[0]', 'Unsupported value'],
  ['operator', term({ key: 'a', operator: 'Is' }), 'spec.podSelector.matchExpressions[0].operator', 'not a valid selector operator'],
  ['no-values', term({ key: 'a', operator: 'In' }), 'spec.podSelector.matchExpressions[0].values', 'must be specified when'],
  [
    'values',
    term({ key: 'a', operator: 'Exists', values: ['b'] }),
    'spec.podSelector.matchExpressions[0].values',
    'may not be specified when',
  ],
  [
    'label',
    { podSelector: { matchLabels: { app: 'a b' } } },
    'spec.podSelector.matchLabels',
    'a valid label must be an empty string or consist of',
  ],
];

const KIND = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' };

/** The same on the embedded API server and on kube-apiserver; both use the pods and requests of the embedded nodes and mesh. */
export function networkPolicySuite(where: string, start: () => Promise<{ cluster: KubeCluster; mesh: Mesh; stop(): Promise<void> }>): void {
  describe(`NetworkPolicies on ${where}`, () => {
    let environment: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      environment = await start();
      const { cluster } = environment;
      for (const name of [HOME, AWAY])
        await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { team: name } } });
      await aPod('web', HOME);
      await aPod('client', HOME);
      await aPod('client', AWAY);
      const ports = [
        { name: 'web', port: 80, targetPort: 'http' },
        { name: 'office', port: 90, targetPort: 'admin' },
      ];
      const spec = { selector: { app: 'web' }, ports };
      await cluster.create({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web', namespace: HOME }, spec });
      await eventually('all reach all', reached, (now) => now === EVERY);
    });
    afterAll(() => environment?.stop());
    afterEach(async () => {
      const { cluster } = environment;
      const { items } = await cluster.list(KIND);
      for (const { metadata } of items) await cluster.delete({ ...KIND, name: metadata.name, namespace: metadata.namespace ?? '' });
      await eventually('all reach all', reached, (now) => now === EVERY);
    });

    async function aPod(app: string, namespace: string): Promise<void> {
      const ports = [
        { name: 'http', containerPort: 8080 },
        { name: 'admin', containerPort: 9090 },
      ];
      const metadata = { name: app, namespace, labels: { app } };
      const spec = { containers: [{ name: app, image: `${app}:1`, ports }] };
      const { cluster } = environment;
      const made = () => cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
      // The service account of a new namespace comes a moment later.
      await eventually('the pod is admitted', () =>
        made().catch((error: unknown) => (isForbidden(error) ? undefined : Promise.reject(error))),
      );
      await until(cluster, { apiVersion: 'v1', kind: 'Pod', name: app, namespace }, 'runs', (now) => raw(now)?.status?.phase === 'Running');
    }

    const create = (name: string, spec: object | undefined, namespace = HOME): Promise<KubeObject> =>
      environment.cluster.create({ ...KIND, metadata: { name, namespace }, ...(spec && { spec }) });
    const ref = (name: string): ObjectRef => ({ ...KIND, name, namespace: HOME });

    const clients: [name: string, headers: Record<string, string>][] = [
      ['client', fromPod(HOME, 'client')],
      ['far', fromPod(AWAY, 'client')],
      ['outside', { 'x-serin-client': '203.0.113.7' }],
    ];
    async function reached(): Promise<string> {
      const found: string[] = [];
      for (const [name, headers] of clients)
        for (const number of [80, 90]) {
          const { version } = await ask(environment.mesh.url(0), `web.${HOME}:${number}`, headers);
          if (version !== undefined) found.push(`${name}:${number}`);
        }
      return found.join(' ');
    }

    it.each(reaches)('$title', async ({ policies, reaches: wanted }) => {
      const made: KubeObject[] = [];
      for (const [index, policy] of policies.entries()) {
        const [namespace, spec] = Array.isArray(policy) ? policy : [HOME, policy];
        made.push(await create(`policy-${index}`, spec, namespace));
      }
      await eventually('the policies are known', () => made.every((policy) => environment.mesh.knows(policy)));
      expect(await reached()).toBe(wanted);
    });

    it('a pod reaches itself, and a refusal names policy, pods and port', async () => {
      const policy = await create('closed', { ...ALL, policyTypes: ['Ingress', 'Egress'] });
      await eventually('the policy is known', () => environment.mesh.knows(policy));
      const url = environment.mesh.url(0);
      expect(await ask(url, `web.${HOME}`, fromPod(HOME, 'web'))).toMatchObject({ status: 200, version: '1' });
      expect(await ask(url, `web.${HOME}:90`, fromPod(AWAY, 'client'))).toEqual({
        status: 503,
        lost: 'connect-failure at web: NetworkPolicy shop/closed (Ingress) admits no connection from pod office/client to pod shop/web, port 9090',
      });
      expect(await ask(url, `web.${HOME}`, fromPod(HOME, 'client'))).toMatchObject({
        lost: expect.stringContaining('shop/closed (Egress)'),
      });
    });

    it('a client that is not a pod can act as any pod of a namespace', async () => {
      const policy = await create('office', ingress({ from: [{ ...fromAway, ...inHome('gateway') }] }));
      await eventually('the policy is known', () => environment.mesh.knows(policy));
      const statusFor = async (labels: string) => {
        const headers = { 'x-serin-namespace': AWAY, 'x-serin-source-labels': labels };
        return (await ask(environment.mesh.url(0), `web.${HOME}`, headers)).status;
      };
      expect([await statusFor('app=gateway'), await statusFor('app=client')]).toEqual([200, 503]);
    });

    it.each(SERVED)('%s is completed', async (name, given, served) => expect((await create(name, given)).spec).toEqual(served));
    it.each(REFUSED)('%s is refused at its field', async (name, given, field, why) => {
      const refusal = create(name, given);
      await expect(refusal).rejects.toThrow(field);
      await expect(refusal).rejects.toThrow(why);
    });
    it('its generation only counts changes of the spec', async () => {
      expect((await create('counted', ALL)).metadata.generation).toBe(1);
      const labelled = await environment.cluster.patch(ref('counted'), { metadata: { labels: { a: 'b' } } });
      expect(labelled.metadata.generation).toBe(1);
      expect((await environment.cluster.patch(ref('counted'), { spec: { ingress: [{}] } })).metadata.generation).toBe(2);
    });
  });
}
