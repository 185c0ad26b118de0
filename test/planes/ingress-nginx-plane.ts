import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import type { StartPlane } from './ground.ts';
import { startIngressController } from './ingress-nginx.ts';
import { keepLooking, readJson, readyPods } from './looking.ts';

/** Number of equal looks in a row: while nginx reloads, old and new workers answer side by side. */
const LOOKS = 5;

/** The controller of ingress-nginx, and the nginx that it drives. */
export const startIngressNginxPlane: StartPlane = async ({ cluster, adminKubeconfigFile }) => {
  const controller = await startIngressController(cluster, adminKubeconfigFile);
  const looks: Balancers[] = [];
  const looking = keepLooking(async () => {
    const balancers = await readJson<Balancers>(controller.balancersUrl);
    if (balancers) looks.push(balancers);
    if (looks.length > LOOKS) looks.shift();
  });
  return {
    url: controller.url,
    metricsUrl: controller.metricsUrl,
    knows: (object) => looks.length === LOOKS && looks.every((known) => isKnown(object, known)),
    // Canary Ingresses cannot mirror.
    mirrored: () => ({}),
    async stop() {
      await looking.stop();
      await controller.stop();
    },
  };
};

/** Upstreams that the Lua code of nginx uses, by `namespace-service-port`; they are empty without endpoints. */
type Balancers = Record<string, Balancer>;
interface Balancer {
  policy?: { weight: number; weightTotal: number; header: string; headerValue: string; headerPattern: string; cookie: string };
  alternatives?: readonly string[];
  /** Keys are addresses with ports. */
  nodes?: Record<string, number>;
}
interface Path {
  backend: { service: { name: string; port: { name?: string; number?: number } } };
}

function isKnown(object: KubeObject, known: Balancers): boolean {
  const { namespace = '' } = object.metadata;
  if (object.kind === 'Ingress') {
    const paths: Path[] = raw(object).spec.rules.flatMap(({ http }: { http: { paths: Path[] } }) => http.paths);
    const names = paths.map(({ backend: { service } }) => `${namespace}-${service.name}-${service.port.name ?? service.port.number}`);
    return names.every((name) => (of(object, 'canary') === 'true' ? isAlternative(name, object, known) : known[name] !== undefined));
  }
  if (object.kind !== 'EndpointSlice') return true;
  const { service, addresses } = readyPods(object);
  // A Service that no Ingress names has no upstream.
  return Object.entries(known)
    .filter(([name]) => name === `${namespace}-${service}-http` || name === `${namespace}-${service}-80`)
    .every(([, { nodes = {} }]) => {
      const hosts = new Set(Object.keys(nodes).map((node) => node.split(':')[0]));
      return addresses.every((address) => hosts.has(address));
    });
}

const of = (object: KubeObject, annotation: string) => object.metadata.annotations?.[`nginx.ingress.kubernetes.io/${annotation}`] ?? '';

/** True if it is an alternative of another upstream, with the policy of this Ingress. The controller ignores a change of only the total. */
function isAlternative(name: string, ingress: KubeObject, known: Balancers): boolean {
  const policy = known[name]?.policy;
  return (
    Object.values(known).some(({ alternatives = [] }) => alternatives.includes(name)) &&
    policy !== undefined &&
    policy.weight === Number(of(ingress, 'canary-weight')) &&
    policy.header === of(ingress, 'canary-by-header') &&
    policy.headerValue === of(ingress, 'canary-by-header-value') &&
    policy.headerPattern === of(ingress, 'canary-by-header-pattern') &&
    policy.cookie === of(ingress, 'canary-by-cookie')
  );
}
