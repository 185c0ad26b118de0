import type { Raw } from '../../fakes/raw.ts';
import { envoyQueries, pods } from './queries.ts';
import { insideMesh, type RouterCase, type RouterCases } from './router-case.ts';

interface Part {
  match: { headers?: unknown };
  action: { weightedTargets: { weight: number }[] };
}
const partsOf = ({ spec }: Raw): Part[] =>
  (spec.routes ?? []).map((route: { http?: Part; httpRoute?: Part }) => route.http ?? route.httpRoute);

const appMesh: RouterCase = {
  afterDeletion: insideMesh,
  queries: envoyQueries(pods),
  lacks: { mirroring: 'no field', sessionAffinity: 'no cookies' },
  foreignSpec: {},
  sums: (object) => partsOf(object).map(({ action }) => action.weightedTargets.reduce((sum, { weight }) => sum + weight, 0)),
  // The canary has a route of its own besides, for tests.
  isConditioned: (objects) =>
    objects
      .filter(({ metadata }) => !metadata.name.includes('-canary'))
      .flatMap(partsOf)
      .every(({ match, action }) => !JSON.stringify(action).includes('shop-canary') || JSON.stringify(match).includes('insider')),
};

const appMeshV1beta1: RouterCase = {
  golden: 'appmesh-v1beta1',
  ...appMesh,
  service: { meshName: 'main' },
  ownNames: ['storefront.prod', 'storefront-canary.prod'],
};

const appMeshV1beta2: RouterCase = {
  golden: 'appmesh',
  crds: 'appmesh',
  ...appMesh,
  holdsRoutes: ({ kind, metadata }) => kind === 'VirtualRouter' && metadata.name === 'shop',
};

export const cases: RouterCases = { appmesh: appMeshV1beta1, 'appmesh:v1beta2': appMeshV1beta2 };
