import type { Provider } from '../../src/api/canary.ts';
import { providerFixtures } from '../../test/scenarios/providers/index.ts';
import type { ProviderFixture } from '../../test/scenarios/providers/provider-fixture.ts';
import type { Subject } from './tutorial-page.ts';

/** One page for all old versions of an API: their pages would differ in one word. */
const abouts: Partial<Record<Provider, readonly [title: string, about: string]>> = {
  apisix: ['Apache APISIX', 'Serin divides the traffic in an ApisixRoute of its own beside yours.'],
  contour: ['Contour', 'Your HTTPProxy includes another one by its name, which the release takes over: the name of the apex Service.'],
  'gatewayapi:v1': ['the Gateway API', 'The Gateway is yours, and whatever answers it makes no difference. Serin makes the HTTPRoute.'],
  'gatewayapi:v1beta1': [
    'the Gateway API for the traffic inside a mesh',
    'The parent of the HTTPRoute is the Service that clients call, as Linkerd reads it.',
  ],
  gloo: ['Gloo', 'Your VirtualService delegates to a RouteTable, which the release takes over; Serin makes an Upstream of each side.'],
  istio: ['Istio', 'Serin makes a VirtualService and two DestinationRules; clients are in the mesh, and call the Service.'],
  knative: ['Knative', 'The target is a Knative Service, and its Revisions are the sides: without a copy, and without another route.'],
  kubernetes: [
    'plain Services',
    'Without a mesh or ingress nothing divides requests: Blue/Green. The new version is checked without users, then all of them move.',
  ],
  linkerd: ['Linkerd', 'By a TrafficSplit, which the extension `linkerd-smi` honours. Without that, take the Gateway API.'],
  nginx: ['ingress-nginx', 'Your Ingress is left as it is; Serin makes a canary Ingress beside it.'],
  skipper: ['Skipper', 'Your Ingress is left as it is; Serin makes a second one beside it, whose predicates take a part of the traffic.'],
  'smi:v1alpha4': ['SMI', 'Serin makes a TrafficSplit. The older versions work the same way: `smi:v1alpha1` to `smi:v1alpha3`.'],
  traefik: ['Traefik', 'Your IngressRoute leads to a TraefikService, which the release takes over.'],
};

const plainServices: ProviderFixture = {
  provider: 'kubernetes',
  host: ({ name, namespace }) => `${name}.${namespace}`,
  route: ({ name, namespace }) => ({ apiVersion: 'v1', kind: 'Service', name, namespace }),
  edits: {},
};

export const subjects: readonly Subject[] = [...providerFixtures, plainServices].flatMap((fixture) => {
  const [title, about] = abouts[fixture.provider] ?? [];
  return title === undefined || about === undefined ? [] : [{ fixture, title, about }];
});

/** File of a page, without its folder. */
export const pageOf = ({ fixture }: Subject): string => `${fixture.provider.replaceAll(':', '-')}.md`;
