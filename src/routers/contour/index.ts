import { type ProviderDefinition, routes } from '../provider.ts';
import { contourObservers } from './observer.ts';
import { contour } from './router.ts';

export const contourProvider: ProviderDefinition = {
  router: ({ ingressClass }) => contour(ingressClass),
  observers: contourObservers,
  permissions: [routes('projectcontour.io', ['httpproxies'])],
  ownedWhole: ['routes'],
  overlay: { flags: ['--ingress-class=contour'] },
};
