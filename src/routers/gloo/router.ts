import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { findObject, type KubeObject, type ObjectRef, refOf } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { factsOf } from '../../api/providers.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import { leftBehind } from '../found-in-place.ts';
import { namesIn, rememberedSpec } from '../original-spec.ts';
import type { RouteChange, Router, Unkept } from '../router.ts';
import { rejectionOf } from '../routing-error.ts';
import { refUnderApex, routingMetadata } from '../routing-metadata.ts';
import { takenNames } from '../taken-names.ts';
import { matchersFor } from './matchers.ts';
import { readRouteTable } from './read.ts';
import { renderTableRoutes, routesToApex } from './render.ts';
import { configRef, renderUpstream, upstreamRef } from './upstreams.ts';

/** Gloo: an Upstream for each side, and the RouteTable under the apex name to which the user's VirtualService delegates. */
export const gloo: Router = {
  supports: factsOf('gloo').can,
  refuses: (canary) => rejectionOf(() => matchersFor(canary.spec.analysis.match ?? [])),
  unkept,
  watches(canary) {
    const config = configRef(canary);
    return [...upstreamRefs(canary), tableRef(canary), ...(config ? [config] : [])];
  },
  render(canary, apex, routes, current) {
    const { apiVersion, kind } = tableRef(canary);
    const metadata = routingMetadata(canary, rememberedSpec(findObject(current, tableRef(canary)), ours(canary)));
    const table: KubeObject = { apiVersion, kind, metadata, spec: { routes: renderTableRoutes(canary, routes) } };
    const upstreams = (['primary', 'canary'] as const).map((side) => renderUpstream(canary, apex, side, current));
    return { write: [...upstreams, table], remove: [] };
  },
  readRoutes(canary, current) {
    const found = findObject(current, tableRef(canary));
    return found && readRouteTable(canary, found);
  },
  introduction,
  finalize,
  afterDeletion: (_canary, { kind }) => (kind === 'RouteTable' ? 'stays' : 'goes'),
};

const tableRef = (canary: Canary): ObjectRef => refUnderApex(canary, 'gateway.solo.io/v1', 'RouteTable');

function upstreamRefs(canary: Canary): ObjectRef[] {
  return [upstreamRef(canary, 'primary'), upstreamRef(canary, 'canary')];
}

/** A RouteTable of the user's with one route for all requests, only to the application, loses nothing. */
function unkept(canary: Canary, objects: readonly KubeObject[]): Unkept[] {
  const { apexService } = names(canary);
  const { namespace } = canary.metadata;
  const { port } = canary.spec.service;
  const discovered = `${namespace}-${apexService}-${port}`;
  const isApex = (destination: unknown): boolean => {
    if (!isRecord(destination) || Object.keys(destination).length !== 1) return false;
    const { kube, upstream } = destination;
    if (isRecord(upstream)) return upstream.name === discovered;
    return isRecord(kube) && kube.port === port && isRecord(kube.ref) && kube.ref.name === apexService && kube.ref.namespace === namespace;
  };
  return [
    ...takenNames(objects, upstreamRefs(canary), { made: 'the Upstream that Serin makes for one side' }),
    ...takenNames(objects, [tableRef(canary)], {
      made: 'the RouteTable that Serin makes',
      isRestored: true,
      keeps({ routes }) {
        const [only, ...further] = Array.isArray(routes) ? routes : [];
        if (!isRecord(only) || further.length > 0) return false;
        const { inheritablePathMatchers: _, name: __, matchers, routeAction, ...settings } = only;
        const isOpen = matchers === undefined || isDeepStrictEqual(matchers, [{ prefix: '/' }]);
        return isOpen && Object.keys(settings).length === 0 && isRecord(routeAction) && isApex(routeAction.single);
      },
      remedy: `give it another name, and let it delegate to RouteTable ${apexService}, which Serin makes, where it leads to ${apexService}`,
    }),
  ];
}

const ours = (canary: Canary) =>
  namesIn(
    'name',
    upstreamRefs(canary).map(({ name }) => name),
  );

/**
 * A proxy that learns of the routes before their Upstreams answers 503: a RouteTable in place that names none of them keeps its routes until proxies know
 * the Upstreams, which are written before it.
 */
function introduction(next: KubeObject, current: readonly KubeObject[]): KubeObject | undefined {
  const found = specOf<{ routes?: JsonRecord[] }>(findObject(current, refOf(next)));
  const upstreams = current.flatMap(({ kind, metadata }) => (kind === 'Upstream' ? metadata.name : []));
  if (next.kind !== 'RouteTable' || !found.routes?.length || namesIn('name', upstreams)(found)) return undefined;
  return { ...next, spec: { ...specOf(next), routes: found.routes } };
}

/**
 * The user's VirtualService goes on delegating to the RouteTable, so what we made stays, and leads to the apex Service. The Upstreams are
 * left to garbage collection: a proxy that learns late still looks for them.
 */
function finalize(canary: Canary, current: readonly KubeObject[]): RouteChange {
  const toApex = () => ({ routes: routesToApex(canary) });
  return { write: leftBehind(tableRef(canary), current, ours(canary), toApex), remove: [] };
}
