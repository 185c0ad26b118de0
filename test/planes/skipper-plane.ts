import type { KubeObject } from '../../src/api/kube-object.ts';
import { raw } from '../fakes/raw.ts';
import type { StartPlane } from './ground.ts';
import { keepLooking, readJson, readyPods } from './looking.ts';
import { startSkipper } from './skipper.ts';

/** Skipper, for Ingresses. */
export const startSkipperPlane: StartPlane = async ({ adminKubeconfigFile }) => {
  const proxy = await startSkipper(adminKubeconfigFile);
  let known: readonly Route[] = [];
  const looking = keepLooking(async () => {
    known = (await readJson<Route[]>(proxy.routesUrl)) ?? known;
  });
  return {
    url: proxy.url,
    metricsUrl: proxy.metricsUrl,
    knows: (object) => isKnown(object, known),
    // An Ingress cannot mirror.
    mirrored: () => ({}),
    async stop() {
      await looking.stop();
      await proxy.stop();
    },
  };
};

interface Route {
  id: string;
  predicates?: readonly { name: string; args?: readonly unknown[] }[];
  backend?: { address?: string; endpoints?: readonly string[] };
}
interface Path {
  path: string;
  backend: { service: { name: string } };
}
type Weights = Record<string, number>;

const asId = (text: string): string => text.replaceAll(/\W/g, '_');

function isKnown(object: KubeObject, known: readonly Route[]): boolean {
  const { name, namespace = '' } = object.metadata;
  if (object.kind === 'Ingress') {
    const own = known.filter(({ id }) => id.startsWith(`kube_${asId(namespace)}__${asId(name)}__`));
    const weights = annotation<Weights>(object, 'backend-weights', JSON.parse);
    return own.length > 0 && (weights === undefined || pathsOf(object).every((paths) => followWeights(paths, weights, object, own)));
  }
  if (object.kind !== 'EndpointSlice') return true;
  const { service, addresses } = readyPods(object);
  // A Service that no Ingress names has no route.
  return known
    .filter(({ id }) => id.startsWith(`kube_${asId(namespace)}__`) && id.endsWith(`__${asId(service)}`))
    .every(({ backend }) => {
      const hosts = new Set([backend?.address ?? [], backend?.endpoints ?? []].flat().map((url) => new URL(url).hostname));
      return addresses.every((address) => hosts.has(address));
    });
}

const annotation = <T>(object: KubeObject, name: string, read: (text: string) => T): T | undefined => {
  const text = object.metadata.annotations?.[`zalando.org/${name}`];
  return text === undefined ? undefined : read(text);
};

/** The entries of an Ingress, by path. */
function pathsOf(ingress: KubeObject): Path[][] {
  const paths: Path[] = raw(ingress).spec.rules.flatMap(({ http }: { http: { paths: Path[] } }) => http.paths);
  return Object.values(Object.groupBy(paths, ({ path }) => path)).map((each) => each ?? []);
}

/** True if the routes of a path have the predicates of the annotation, and each has its share of the requests that earlier routes leave. */
function followWeights(paths: readonly Path[], weights: Weights, ingress: KubeObject, own: readonly Route[]): boolean {
  const asked = annotation(ingress, 'skipper-predicate', (text) => [...text.matchAll(/(\w+)\(/g)].map(([, name = '']) => name)) ?? [];
  const sides = paths.map(({ backend }) => backend.service.name).map((name) => ({ name, weight: weights[name] ?? 0 }));
  return sides.every(({ name, weight }, index) => {
    const route = own.find(({ id }) => id.endsWith(`__${asId(name)}`));
    if (weight === 0 || route === undefined) return weight === 0 && route === undefined;
    const left = sides.slice(index).reduce((sum, side) => sum + side.weight, 0);
    const predicates = new Map(route.predicates?.map((predicate) => [predicate.name, predicate.args?.[0]]));
    const share = Number(predicates.get('Traffic') ?? 1);
    const isAsAsked = asked.every((each) => predicates.has(each)) && predicates.has('False') === asked.includes('False');
    return isAsAsked && Math.abs(share - weight / left) < 1e-6;
  });
}
