import type { Raw } from '../../fakes/raw.ts';
import { applicationQueries } from './queries.ts';
import { type Exposure, insideMesh, type RouterCase, type RouterCases } from './router-case.ts';

interface Rule {
  backendRefs: { weight: number }[];
  matches?: unknown;
}
const rulesOf = ({ spec }: Raw): Rule[] => spec.rules;

const gateway = { name: 'public', namespace: 'edge' };
const parent = { group: '', kind: 'Service', name: 'shop' };
const ofGateway: Exposure = {
  of: 'attached to a Gateway',
  service: { gatewayRefs: [gateway] },
  stays: ['HTTPRoute'],
  because: 'it is the edge',
};
const ofGatewayForGrpc: Exposure = {
  ...ofGateway,
  of: 'attached to a Gateway, for gRPC',
  service: { gatewayRefs: [gateway], appProtocol: 'grpc' },
  stays: ['GRPCRoute'],
};

const gatewayApi = (version: 'v1' | 'v1beta1'): RouterCase => ({
  golden: 'gateway-api',
  crds: 'gateway-api',
  afterDeletion: [
    ofGateway,
    ...(version === 'v1' ? [ofGatewayForGrpc] : []),
    { ...ofGateway, of: 'attached to both', service: { gatewayRefs: [parent, gateway] } },
    ...insideMesh.map((one) => ({ ...one, of: 'attached only to Services', service: { gatewayRefs: [parent] } })),
  ],
  queries: applicationQueries,
  lacks: {},
  service: { gatewayRefs: [{ name: 'edge', namespace: 'infra' }] },
  foreignSpec: {},
  sums: (object) => rulesOf(object).map(({ backendRefs }) => backendRefs.reduce((sum, { weight }) => sum + weight, 0)),
  isConditioned: (objects) =>
    objects
      .flatMap(rulesOf)
      .every(
        ({ backendRefs, matches }) => !JSON.stringify(backendRefs).includes('shop-canary') || JSON.stringify(matches).includes('insider'),
      ),
  // Part of a mirror is younger than v1beta1.
  refuses: (routes) => version === 'v1beta1' && routes.kind === 'mirrored' && routes.share < 100,
  // A condition on Cookie would leave no place for the condition of session affinity, and a prefix condition does not exist.
  refusesService: ({ match }) => match?.some(({ headers }) => headers?.Cookie !== undefined) ?? false,
  forms: ['exact', 'regex'],
  conditions: { queryParams: true },
});

export const cases: RouterCases = { 'gatewayapi:v1': gatewayApi('v1'), 'gatewayapi:v1beta1': gatewayApi('v1beta1') };
