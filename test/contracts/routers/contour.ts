import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { RouterCase } from './router-case.ts';

interface Route {
  conditions: unknown;
  services: { name: string; weight: number; mirror?: boolean }[];
}
const routesOf = ({ spec }: KubeObject): Route[] => spec.routes;

export const contour: RouterCase = {
  lacks: { sessionAffinity: 'a response header can be set, which takes the cookies of the application away, but not added' },
  foreignSpec: {},
  sums: (object) => routesOf(object).map(({ services }) => services.reduce((sum, { weight, mirror }) => sum + (mirror ? 0 : weight), 0)),
  isConditioned: (objects) =>
    objects
      .flatMap(routesOf)
      .every(
        ({ services, conditions }) =>
          !services.some(({ name }) => name === 'shop-canary') || JSON.stringify(conditions).includes('insider'),
      ),
  conditions: { queryParams: true },
  refuses: (routes) => routes.kind === 'mirrored' && routes.share === 0,
};
