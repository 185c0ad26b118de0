import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { readKinds } from '../../src/arrival/kinds.ts';
import { type Preflight, PreflightList } from '../../src/cli/preflight/preflight-document.ts';
import { definition } from '../../src/embedded/definition.ts';
import { clean, type Trap, traps } from '../application/arrival/traps.ts';
import { arrivingIn } from '../application/arrival/world.ts';
import { type BareCluster, startBareCluster } from '../bench/bare-cluster.ts';
import { serin } from '../scenarios/serin.ts';

/** Place of a trap's object in the answer: one of its lists, or the sentence of a difference from Flagger about the apex Service. */
type Place = 'follows' | 'refused' | 'warned' | 'companions' | 'keeps' | `DF${number}`;

interface Prepared {
  name: string;
  objects: readonly KubeObject[];
  canary: KubeObject;
}
interface Named extends Prepared {
  place: Place;
  /** Kind and name; of a difference, what its sentence has. */
  object: string;
}

const own = { matchLabels: { app: 'shop' } };
const plainWorld = () => arrivingIn(clean[0]?.world ?? missing());
const withPart = (name: string, place: Place, part: KubeObject, spec: object = {}): Named => {
  const { objects, canary } = plainWorld();
  const changed = { ...canary, spec: { ...(canary.spec as object), ...spec } };
  return { name, place, object: `${part.kind}/${part.metadata.name}`, objects: [...objects, part], canary: changed };
};
const object = (apiVersion: string, kind: string, name: string, spec: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'test' },
  spec,
});
function missing(): never {
  throw new Error('there is none');
}

/** Kinds that the worlds of test/application/arrival do not have. */
const more: readonly Named[] = [
  withPart('a Server of Linkerd', 'refused', object('policy.linkerd.io/v1beta3', 'Server', 'shop-http', { podSelector: own, port: 8080 })),
  withPart('a CiliumNetworkPolicy', 'refused', object('cilium.io/v2', 'CiliumNetworkPolicy', 'shop-cilium', { endpointSelector: own })),
  withPart('a ServiceProfile', 'warned', object('linkerd.io/v1alpha2', 'ServiceProfile', 'shop.test.svc.cluster.local', { routes: [] }), {
    provider: 'linkerd',
  }),
  withPart(
    'a BackendTLSPolicy',
    'refused',
    object('gateway.networking.k8s.io/v1', 'BackendTLSPolicy', 'shop-tls', {
      targetRefs: [{ group: '', kind: 'Service', name: 'shop' }],
      validation: { hostname: 'shop.example.com', wellKnownCACertificates: 'System' },
    }),
    { provider: 'gatewayapi:v1' },
  ),
];
const template = (app: string) => ({
  metadata: { labels: { app } },
  spec: { restartPolicy: 'Always', containers: [{ name: 'app', image: 'good-1' }] },
});
const selected = (app: string) => ({ selector: { matchLabels: { app } }, template: template(app) });
const quiet: readonly Prepared[] = [
  { name: 'a StatefulSet beside it', ...beside(object('apps/v1', 'StatefulSet', 'queue', { serviceName: 'queue', ...selected('queue') })) },
  { name: 'a DaemonSet beside it', ...beside(object('apps/v1', 'DaemonSet', 'agent', selected('agent'))) },
];

function beside(part: KubeObject): Omit<Prepared, 'name'> {
  const { objects, canary } = plainWorld();
  return { objects: [...objects, part], canary };
}

/** Place and object that the answer must name for a trap. */
function expected({ kind, name, world }: Trap): Pick<Named, 'place' | 'object'> {
  const [part] = world.parts;
  const last = world.parts.at(-1);
  switch (kind) {
    case 'further Service':
      return { place: 'follows', object: `Service/${last?.is === kind ? last.name : ''}` };
    case 'unweighted canary':
      return last?.is === 'further Service' && last.by === 'kept'
        ? { place: 'follows', object: `Service/${last.name}` }
        : { place: 'refused', object: 'Service/shop-all' };
    case 'shared Service':
      // Kept, since another label tells the pods apart.
      if (part?.is === 'narrowed apex' || part?.is === 'second instance') return { place: 'DF767', object: 'app=shop' };
      return { place: 'refused', object: 'Service/shop' };
    case 'apex port':
      return { place: 'DF320', object: last?.is === 'second port' ? last.name : '' };
    case 'port name':
      return part?.is === 'second port'
        ? { place: 'DF320', object: part.name }
        : { place: 'DF741', object: part?.is === kind ? part.name : '' };
    case 'appProtocol':
      return { place: 'DF741', object: last?.is === kind ? last.appProtocol : '' };
    case 'Service terms':
      return { place: 'DF743', object: 'istio.io/use-waypoint' };
    case 'DestinationRule':
      return { place: 'keeps', object: `DestinationRule/${last?.is === kind && last.host === 'of the mesh' ? 'default' : 'shop-rule'}` };
    case 'NetworkPolicy':
      if (part?.is === 'isolation of others') return { place: 'companions', object: 'NetworkPolicy/others' };
      return { place: 'companions', object: `NetworkPolicy/${part?.is === 'egress' ? 'shop-egress' : 'shop'}` };
    case 'peer':
      return { place: 'companions', object: `NetworkPolicy/${part?.is === 'peer' ? part.of : ''}-of-shop` };
    case 'PDB':
      return { place: 'companions', object: 'PodDisruptionBudget/shop' };
    case 'VPA':
      return { place: 'companions', object: 'VerticalPodAutoscaler/shop' };
    case 'monitor':
      if (part?.is === 'PodMonitor') return { place: 'warned', object: 'PodMonitor/shop' };
      // The monitor selects the port name and the labels of the apex Service, which keeps both.
      return part?.is === 'port name' && part.name !== 'http'
        ? { place: 'DF741', object: part.name }
        : { place: 'keeps', object: 'Service/shop-web' };
    case 'workload policy':
      return { place: 'refused', object: `${part?.is === 'Istio policy' ? part.kind : ''}/shop` };
    case 'Sidecar':
      return { place: 'warned', object: 'Sidecar/shop' };
    default:
      throw new Error(`${kind}: ${name}: what is to be named?`);
  }
}

const trapped: readonly Named[] = [
  ...traps.map((trap): Named => ({ ...arrivingIn(trap.world), ...expected(trap), name: `${trap.kind}: ${trap.name}` })),
  ...more,
];
const untouched: readonly Prepared[] = [...clean.map(({ name, world }) => ({ ...arrivingIn(world), name })), ...quiet];
const namespaceOf = (index: number, is: 'trap' | 'clean') => `${is}-${index}`;

const refs = (all: readonly { kind: string; name: string }[]): string[] => all.map(({ kind, name }) => `${kind}/${name}`);
function placesOf({ follows, companions, keeps, losses, differences }: Preflight): Record<string, readonly string[]> {
  return {
    ...{ follows: refs(follows), keeps: refs(keeps), companions: refs(companions.map(({ source }) => source)) },
    refused: refs(losses.filter(({ refused }) => refused).map(({ object }) => object)),
    warned: refs(losses.filter(({ refused }) => !refused).map(({ object }) => object)),
    ...Object.fromEntries(differences.map(({ id, sentence }) => [id, [...sentence.split(/[ ,;:]+/)]])),
  };
}

describe('serin preflight over a cluster of applications', () => {
  let bare: BareCluster;
  let answers: ReadonlyMap<string, Preflight>;
  let asked: Record<string, number>;

  const look = async () => {
    const before = bare.requestCounts('serin-cli');
    const { said } = await serin(bare.kubeconfigFile, 'preflight', '-A', '-o', 'json');
    const after = bare.requestCounts('serin-cli');
    asked = Object.fromEntries(
      Object.entries(after)
        .map(([key, count]) => [key, count - (before[key] ?? 0)])
        .filter(([, count]) => count !== 0),
    );
    const { items } = PreflightList.parse(JSON.parse(said));
    return new Map(items.map((one) => [`${one.namespace}/${one.name}`, one]));
  };

  beforeAll(async () => {
    bare = await startBareCluster();
    for (const [index, one] of trapped.entries()) await put(bare, one, namespaceOf(index, 'trap'));
    for (const [index, one] of untouched.entries()) await put(bare, one, namespaceOf(index, 'clean'));
    answers = await look();
  });
  afterAll(() => bare?.stop());

  it('has so many of them', () => {
    expect([trapped.length, untouched.length]).toEqual([expect.toSatisfy((count) => count >= 40), 20]);
  });

  it.each(trapped.map((one, index) => ({ ...one, index })))('names the trap: $name', ({ index, place, object: named }) => {
    const answer = answers.get(`${namespaceOf(index, 'trap')}/shop`);
    expect(answer && placesOf(answer)[place]).toContain(inNamespace(named, namespaceOf(index, 'trap')));
  });

  it.each(untouched.map((one, index) => ({ ...one, index })))('says nothing of: $name', ({ index }) => {
    expect(answers.get(`${namespaceOf(index, 'clean')}/shop`)).toMatchObject({
      verdict: 'clean',
      losses: [],
      unchecked: [],
      manifests: [],
    });
  });

  it('reads by kinds, and not by Canaries or namespaces', async () => {
    const few = listsIn(asked);
    const versions = readKinds.reduce((sum, kind) => sum + kind.versions.length, 1);
    const count = (requests: Record<string, number>) => Object.values(requests).reduce((sum, one) => sum + one, 0);
    expect(Object.values(few).every((one) => one === 1)).toBe(true);
    // Besides the lists, the served versions of the API server are read.
    expect(count(asked) - count(few)).toBeLessThanOrEqual(versions);
    for (let index = 0; index < trapped.length + untouched.length; index += 1) {
      const namespace = index < trapped.length ? namespaceOf(index, 'trap') : namespaceOf(index - trapped.length, 'clean');
      for (const name of ['one', 'two', 'three', 'four']) await put(bare, small(name), namespace);
    }
    const all = await look();
    expect(all.size).toBe(5 * (trapped.length + untouched.length));
    expect(listsIn(asked)).toEqual(few);
    expect(count(asked) - count(few)).toBeLessThanOrEqual(versions);
  });
});

const listsIn = (requests: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(requests).filter(([key]) => key.startsWith('list ')));

/** One more application of a namespace. */
function small(name: string): Prepared {
  const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
  const canary = object('flagger.app/v1beta1', 'Canary', name, { targetRef, service: { port: 80 }, analysis: {} });
  const service = object('v1', 'Service', name, { selector: { app: name }, ports: [{ port: 80 }] });
  return { name, objects: [object('apps/v1', 'Deployment', name, selected(name)), service], canary };
}

const inNamespace = (text: string, namespace: string): string =>
  text.replaceAll('"namespace":"test"', `"namespace":"${namespace}"`).replaceAll('.test.svc', `.${namespace}.svc`);

/** The world in a namespace of its own. */
async function put({ cluster }: BareCluster, { objects, canary }: Prepared, namespace: string): Promise<void> {
  const analysis = { interval: '1m', threshold: 5, iterations: 2 };
  const given = [...objects, { ...canary, spec: { ...(canary.spec as object), analysis } }];
  const moved = given.map((one) => JSON.parse(inNamespace(JSON.stringify(one), namespace)) as KubeObject);
  for (const name of new Set(moved.map(({ metadata }) => metadata.namespace ?? '')))
    await cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const one of moved) {
    await define(cluster, one);
    await cluster.apply(one);
  }
}

const defined = new Set<string>();

/** Kinds of others, as far as the cluster has them not. */
async function define(cluster: BareCluster['cluster'], { apiVersion, kind }: KubeObject): Promise<void> {
  const [group = '', version] = apiVersion.split('/');
  const known = readKinds.find((one) => one.kind === kind && one.group === group);
  if (
    version === undefined ||
    /^(apps|batch|autoscaling|policy|networking\.k8s\.io|flagger\.app)$/.test(group) ||
    defined.has(`${group}/${kind}`)
  )
    return;
  defined.add(`${group}/${kind}`);
  await cluster.apply(definition(group, kind, known?.resource ?? `${kind.toLowerCase()}s`, [version]));
}
