import { BY_SERVICE, type ProviderDefinition, routes } from '../provider.ts';
import { contourObservers } from './observer.ts';
import { contour } from './router.ts';

const contourProvider: ProviderDefinition = {
  router: ({ ingressClass }) => contour(ingressClass),
  observers: contourObservers,
  board: { id: 'contour', title: 'Contour (Envoy)', toPrimary: BY_SERVICE },
  permissions: [routes('projectcontour.io', ['httpproxies'])],
  ownedWhole: ['routes'],
  overlay: { flags: ['--ingress-class=contour'] },
};

export { contourProvider as contour };
