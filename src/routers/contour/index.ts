import { type Observers, type ProviderDefinition, routes } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';
import { contour } from './router.ts';

const service = (side: string) => `envoy_cluster_name=~"{{ namespace }}_{{ service }}-${side}_[0-9a-zA-Z-]+"`;

const contourObservers: Observers = { Deployment: envoy('contour', { canary: service('canary'), primary: service('primary') }) };

export const contourProvider: ProviderDefinition = {
  router: ({ ingressClass }) => contour(ingressClass),
  observers: contourObservers,
  permissions: [routes('projectcontour.io', ['httpproxies'])],
  ownedWhole: ['routes'],
  overlay: { flags: ['--ingress-class=contour'] },
};
