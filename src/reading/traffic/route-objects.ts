import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { parseCanary } from '../../api/parse-canary.ts';
import type { ClusterReader } from '../../kube/cluster.ts';
import { routerFor } from '../../routers/index.ts';
import type { Router } from '../../routers/router.ts';
import { ifInstalled } from '../if-readable.ts';
import { ReadingError } from '../reading-error.ts';

/** The objects that route the requests of a Canary, read from the cluster. */
export interface RouteObjects {
  canary: Canary;
  provider: string;
  router: Router;
  /** Objects of the provider. */
  found: readonly KubeObject[];
  /** Where the provider has no objects of its own, the Services that route: the apex, and the primary's. */
  services?: { apex?: KubeObject | undefined; primary?: KubeObject | undefined };
}

/** Kind, namespace and name of an object, for users. */
export const objectLabel = ({ kind, metadata: { namespace, name } }: KubeObject): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;

/** Reads them. `meshProvider`: for a Canary that names none. */
export async function readRouteObjects(cluster: Pick<ClusterReader, 'get'>, raw: KubeObject, meshProvider: string): Promise<RouteObjects> {
  const { name } = raw.metadata;
  const parsed = parseCanary(raw);
  if ('problems' in parsed) {
    const [first] = parsed.problems;
    throw new ReadingError('no', `Canary ${name} cannot be read: ${first?.path}: ${first?.message}`);
  }
  const { canary } = parsed;
  const provider = canary.spec.provider ?? meshProvider;
  const router = routerFor(provider);
  if ('unsupported' in router) throw new ReadingError('no', `Canary ${name}: ${router.unsupported}`);
  const read = (ref: ObjectRef) => ifInstalled(cluster.get(ref));
  const refs = router.watches(canary);
  const found = (await Promise.all(refs.map(read))).flatMap((object) => object ?? []);
  if (refs.length > 0) return { canary, provider, router, found };
  const { apexService, primaryService } = names(canary);
  const service = (of: string) => read({ apiVersion: 'v1', kind: 'Service', namespace: canary.metadata.namespace, name: of });
  const [apex, primary] = await Promise.all([service(apexService), service(primaryService)]);
  return { canary, provider, router, found, services: { apex, primary } };
}
