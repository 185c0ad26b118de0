import { SERVICE_KIND } from '../../api/kinds/service.ts';
import { statusOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { systemClock } from '../../base/clock.ts';
import { canonicalJson } from '../../base/json.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyOf, type ObjectChange, standInOf, watchObjects } from '../controllers/object-store.ts';
import { workQueue } from '../controllers/work-queue.ts';
import { type StandIn, type StandInOptions, secondsText } from '../world.ts';
import { GROUP } from './attachment.ts';
import { GATEWAY_CONTROLLER, MESH_CONTROLLER, type ParentStatus, parentStatuses } from './parent-status.ts';

/**
 * Replaces the controllers of Gateways and of a mesh: it writes to the status of each route if its parents accept it and its backends can be found. The mesh's
 * proxies, which read only specs, carry the traffic. An API client, so that it also serves a real kube-apiserver with the Gateway API's CRDs.
 */
export function startGatewayApi(cluster: Cluster, options: StandInOptions = {}): StandIn {
  const { clock = systemClock, onError = () => undefined } = options;
  const queue = workQueue(
    clock,
    async (key) => {
      await standIn.synced;
      await sync(key);
    },
    onError,
  );
  const routeKey = (route: KubeObject): string => `${route.kind} ${keyOf(route)}`;
  const hear = (_: ObjectChange, route: KubeObject): void => queue.add(routeKey(route));
  const all = (): KubeObject[] => [...stores.http.list(), ...stores.grpc.list()];
  const hearOther = (): void => {
    for (const route of all()) queue.add(routeKey(route));
  };
  const stores = {
    http: watchObjects(cluster, { apiVersion: `${GROUP}/v1`, kind: 'HTTPRoute' }, hear),
    grpc: watchObjects(cluster, { apiVersion: `${GROUP}/v1`, kind: 'GRPCRoute' }, hear),
    gateways: watchObjects(cluster, { apiVersion: `${GROUP}/v1`, kind: 'Gateway' }, hearOther),
    grants: watchObjects(cluster, { apiVersion: `${GROUP}/v1beta1`, kind: 'ReferenceGrant' }, hearOther),
    services: watchObjects(cluster, SERVICE_KIND, hearOther),
  };
  const standIn = standInOf(stores, queue);
  return standIn;

  async function sync(key: string): Promise<void> {
    const route = all().find((one) => routeKey(one) === key);
    if (!route || route.metadata.deletionTimestamp !== undefined) return;
    const known = {
      gateways: () => stores.gateways.list(),
      grants: () => stores.grants.list(),
      service: (namespace: string, name: string) => stores.services.get(`${namespace}/${name}`),
    };
    const nowText = secondsText({ clock });
    const { parents: before = [] } = statusOf<{ parents: ParentStatus[] }>(route);
    const others = before.filter(({ controllerName }) => controllerName !== GATEWAY_CONTROLLER && controllerName !== MESH_CONTROLLER);
    const parents = [...others, ...parentStatuses(route, known, nowText)];
    if (canonicalJson(before) === canonicalJson(parents)) return;
    const { resourceVersion } = route.metadata;
    await cluster.patch(refOf(route), { metadata: { resourceVersion }, status: { parents } }, { subresource: 'status' });
  }
}
