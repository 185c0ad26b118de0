import type { KubeObject, ObjectRef } from '../../src/api/kube-object.ts';
import { endpointsIn } from '../../src/controller/facts/endpoints.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';

/** One version of an object. */
export type Sample = { object: KubeObject; isDeleted?: boolean };

const SERVICE_LABEL = 'kubernetes.io/service-name';
/** Objects between a route and its Services, by kind: a route leads to the Services that they name. */
const BETWEEN: Readonly<Record<string, string>> = {
  RouteTable: 'gateway.solo.io/v1',
  Upstream: 'gloo.solo.io/v1',
  TraefikService: 'traefik.io/v1alpha1',
};

/**
 * Services that had ready endpoints under a port and lost all of them, and routes none of whose Services has any left, by every version of
 * each (I14). `users`: their Services, by name; `routes`: their objects that lead to Services, by kind and name.
 */
export function lossesIn(
  /** In the order of the cluster. */
  history: readonly Sample[],
  { users, routes = [] }: { users: readonly string[]; routes?: readonly string[] },
): string[] {
  const slices = new Map<string, KubeObject>();
  const services = new Set<string>();
  const led = new Map<string, KubeObject>();
  const served = new Set<string>();
  const losses = new Set<string>();
  const readyOf = (service: string) =>
    endpointsIn([...slices.values()].filter(({ metadata }) => metadata.labels?.[SERVICE_LABEL] === service)).ready;
  for (const { object, isDeleted } of history) {
    const { kind, metadata } = object;
    if (kind === 'EndpointSlice') set(slices, metadata.name, object, isDeleted);
    else if (kind === 'Service') services.add(metadata.name);
    else set(led, `${kind} ${metadata.name}`, object, isDeleted);
    const serving = new Set([...services].filter((name) => readyOf(name) > 0));
    for (const name of serving) served.add(`Service ${name}`);
    for (const name of users)
      if (served.has(`Service ${name}`) && !serving.has(name)) losses.add(`Service ${name} at ${metadata.resourceVersion}`);
    for (const [name, route] of led) {
      if (!routes.includes(name)) continue;
      if (leadsTo(route, serving, [...led.values()])) served.add(name);
      else if (served.has(name)) losses.add(`${name} at ${metadata.resourceVersion}`);
    }
  }
  return [...losses];
}

function set(known: Map<string, KubeObject>, key: string, object: KubeObject, isDeleted: boolean | undefined): void {
  if (isDeleted) known.delete(key);
  else known.set(key, object);
}

/** True if a route leads to one of these Services, directly or through an object between them, which takes precedence over a Service of its name. */
function leadsTo(route: KubeObject, services: ReadonlySet<string>, others: readonly KubeObject[]): boolean {
  const between = others.filter(({ kind, metadata }) => kind in BETWEEN && kind !== route.kind && isNamed(route, metadata.name));
  if (between.length > 0) return between.some((object) => leadsTo(object, services, others));
  return [...services].some((service) => isNamed(route, service));
}

/** Matches the exact name: a longer host with this prefix does not lead to the Service. */
const isNamed = ({ spec }: KubeObject, name: string): boolean => JSON.stringify(spec ?? {}).includes(`"${name}"`);

/** The order of the cluster: each watch brings its kind at its own time. */
function inOrder({ object: a }: Sample, { object: b }: Sample): number {
  return Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion);
}

/** Follows the Services, their endpoints and the given routes of one namespace from now on. */
export async function followEndpoints(
  cluster: KubeCluster,
  namespace: string,
  { services, routes }: { services: readonly string[]; routes: readonly ObjectRef[] },
): Promise<{ losses(): string[]; stop(): void }> {
  const history: Sample[] = [];
  const routeNames = routes.map(({ kind, name }) => `${kind} ${name}`);
  const kinds = [
    { apiVersion: 'v1', kind: 'Service' },
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
    ...routes.map(({ apiVersion, kind }) => ({ apiVersion, kind })),
    ...(routes.length > 0 ? Object.entries(BETWEEN).map(([kind, apiVersion]) => ({ apiVersion, kind })) : []),
  ];
  const learn = (object: KubeObject, isDeleted = false) => history.push({ object, ...(isDeleted && { isDeleted }) });
  const unique = [...new Map(kinds.map((kind) => [JSON.stringify(kind), kind])).values()];
  const watches = unique.map((kind) =>
    cluster.watch(
      { ...kind, namespace },
      {
        onEvent: ({ type, object }) => void learn({ ...kind, ...object }, type === 'DELETED'),
        onList: (items) => {
          for (const item of items) learn({ ...kind, ...item });
        },
      },
    ),
  );
  await Promise.all(watches.map(({ synced }) => synced));
  return {
    losses: () => lossesIn(history.toSorted(inOrder), { users: services, routes: routeNames }),
    stop() {
      for (const watch of watches) watch.stop();
    },
  };
}
