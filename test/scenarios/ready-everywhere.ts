import type { KubeObject } from '../../src/api/kube-object.ts';
import { keyOf, type ObjectStore, watchObjects } from '../../src/embedded/controllers/object-store.ts';
import { ClientAffinity } from '../../src/embedded/mesh/client-affinity.ts';
import { laggedView } from '../../src/embedded/mesh/lagged-view.ts';
import { type Client, serviceEndpoints } from '../../src/embedded/mesh/service-proxy.ts';
import { raw } from '../fakes/raw.ts';
import type { Environment } from './environment.ts';

const SERVICE_LABEL = 'kubernetes.io/service-name';
const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** Reachability of a Service from every node, in each of the states that the API server showed. */
export interface ReadyEverywhere {
  /** From here on each state counts. */
  begin(): Promise<void>;
  /** States in which no ready endpoint could be reached from a node, for an empty list. */
  gaps(): string[];
  /** States looked at, and the zones that were looked from. */
  looked(): { states: number; zones: string[] };
  stop(): void;
}

/**
 * Checks every version of a Service and of its EndpointSlices as the watch brings it, never by the clock. At each version and from each node, as the proxy
 * there would choose by hints and policies, an endpoint must be ready. An endpoint that terminates and still serves does not count.
 */
export function watchReadiness(
  { cluster }: Environment,
  service: { name: string; namespace: string },
  clients: readonly Client[],
): ReadyEverywhere {
  const gaps: string[] = [];
  const zones = new Set<string>();
  let states = 0;
  let isOn = false;
  const affinity = new ClientAffinity(() => 0);
  const view = laggedView(() => 0);
  const nodes = watchObjects(cluster, { apiVersion: 'v1', kind: 'Node' }, () => undefined);
  const look = (): void => {
    if (!isOn) return;
    states += 1;
    for (const { metadata } of nodes.list()) {
      const place = { node: metadata.name, zone: metadata.labels?.[ZONE_LABEL] ?? '' };
      zones.add(place.zone);
      for (const client of clients)
        if ((serviceEndpoints(view, service, place, client, affinity) ?? []).length === 0)
          gaps.push(`${place.node} in ${place.zone}, client ${client.isOutside ? 'outside' : 'inside'}: ${describeState()}`);
    }
  };
  const describeState = (): string =>
    JSON.stringify([view.get('Service', keyOf({ metadata: service }))?.spec, view.list('EndpointSlice').map(({ endpoints }) => endpoints)]);
  const stores: ObjectStore[] = [
    watchObjects(cluster, { apiVersion: 'v1', kind: 'Service' }, (change) => {
      if (keyOf((change.next ?? change.previous) as KubeObject) !== keyOf({ metadata: service })) return;
      view.hear('Service', change);
      look();
    }),
    watchObjects(cluster, { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' }, ({ previous, next }) => {
      const { namespace, labels } = (next ?? previous)?.metadata ?? {};
      if (namespace !== service.namespace || labels?.[SERVICE_LABEL] !== service.name) return;
      view.hear('EndpointSlice', { ...(previous && { previous }), ...(next && { next: readyOf(next) }) });
      look();
    }),
  ];
  return {
    async begin() {
      await Promise.all([nodes, ...stores].map((store) => store.synced));
      isOn = true;
      look();
    },
    gaps: () => [...gaps],
    looked: () => ({ states, zones: [...zones].toSorted() }),
    stop() {
      for (const store of [nodes, ...stores]) store.stop();
      view.stop();
    },
  };
}

function readyOf(slice: KubeObject): KubeObject {
  const endpoints: { conditions: { ready?: boolean } }[] = raw(slice).endpoints ?? [];
  return { ...slice, endpoints: endpoints.filter(({ conditions }) => conditions.ready === true) };
}
