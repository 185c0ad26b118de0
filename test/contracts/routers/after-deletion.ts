import type { Provider } from '../../../src/api/canary.ts';

/** One way in which routes of a provider are asked for, and the kinds of its objects that stay when their Canary is deleted. */
interface Exposure {
  /** Of the routes, for the docs; absent: the provider has one kind of them. */
  of?: string;
  /** Laid over the service of the provider's case. */
  service?: object;
  stays: readonly string[];
  because: string;
}

const FOUND_IN_PLACE = 'your own Ingress or ApisixRoute leads to the apex Service';
const MESH = 'clients inside the mesh find the Service';
const gatewayApi = (parents: readonly object[], kind: 'HTTPRoute' | 'GRPCRoute' = 'HTTPRoute') => ({
  gatewayRefs: parents,
  ...(kind === 'GRPCRoute' && { appProtocol: 'grpc' }),
});
const gateway = { name: 'public', namespace: 'edge' };
const parent = { group: '', kind: 'Service', name: 'shop' };
const ofGateway = { of: 'attached to a Gateway', service: gatewayApi([gateway]), stays: ['HTTPRoute'], because: 'it is the edge' };
const ofService = { of: 'attached to Services alone', service: gatewayApi([parent]), stays: [], because: MESH };
const ofBoth = { of: 'attached to both', service: gatewayApi([parent, gateway]), stays: ['HTTPRoute'], because: 'it is the edge' };

/** The fate of generated routes, provider by provider; `docs/providers.md` shows it. */
export const afterDeletion: Record<Provider, readonly Exposure[]> = {
  apisix: [{ stays: [], because: FOUND_IN_PLACE }],
  appmesh: [{ stays: [], because: MESH }],
  'appmesh:v1beta2': [{ stays: [], because: MESH }],
  contour: [{ stays: ['HTTPProxy'], because: 'your root HTTPProxy includes it' }],
  'gatewayapi:v1': [
    ofGateway,
    { ...ofGateway, of: 'attached to a Gateway, for gRPC', service: gatewayApi([gateway], 'GRPCRoute'), stays: ['GRPCRoute'] },
    ofBoth,
    ofService,
  ],
  'gatewayapi:v1beta1': [ofGateway, ofBoth, ofService],
  gloo: [{ stays: ['RouteTable'], because: 'your VirtualService delegates to it' }],
  istio: [
    { of: 'with `gateways` besides `mesh`', service: { gateways: ['mesh', 'a/b'] }, stays: ['VirtualService'], because: 'it is the edge' },
    {
      of: 'with `delegation`',
      service: { delegation: true },
      stays: ['VirtualService'],
      because: 'your root VirtualService delegates to it',
    },
    {
      of: 'with `hosts` besides those of the apex Service',
      service: { hosts: ['shop.example.org'] },
      stays: ['VirtualService'],
      because: 'no Service has that host',
    },
    { of: 'of the mesh alone', service: { hosts: ['shop.prod.svc.cluster.local'] }, stays: [], because: MESH },
  ],
  knative: [{ stays: [], because: 'nothing is generated: the traffic block of your Service is restored' }],
  kubernetes: [{ stays: [], because: 'nothing is generated' }],
  kuma: [{ stays: [], because: MESH }],
  linkerd: [{ stays: [], because: MESH }],
  nginx: [{ stays: [], because: FOUND_IN_PLACE }],
  none: [{ stays: [], because: 'nothing is generated' }],
  osm: [{ stays: [], because: MESH }],
  skipper: [{ stays: [], because: FOUND_IN_PLACE }],
  'smi:v1alpha1': [{ stays: [], because: MESH }],
  'smi:v1alpha2': [{ stays: [], because: MESH }],
  'smi:v1alpha3': [{ stays: [], because: MESH }],
  'smi:v1alpha4': [{ stays: [], because: MESH }],
  traefik: [{ stays: ['TraefikService'], because: 'your IngressRoute names it' }],
};
