import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { RouterCase } from './router-case.ts';

interface Part {
  match: { headers?: unknown };
  action: { weightedTargets: { weight: number }[] };
}
const partsOf = ({ spec }: KubeObject): Part[] =>
  (spec.routes ?? []).map((route: { http?: Part; httpRoute?: Part }) => route.http ?? route.httpRoute);

const appMesh: RouterCase = {
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

export const appMeshV1beta1: RouterCase = {
  ...appMesh,
  service: { meshName: 'main' },
  ownNames: ['storefront.prod', 'storefront-canary.prod'],
};

export const appMeshV1beta2: RouterCase = {
  ...appMesh,
  holdsRoutes: ({ kind, metadata }) => kind === 'VirtualRouter' && metadata.name === 'shop',
};
