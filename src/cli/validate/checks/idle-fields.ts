import type { Provider } from '../../../api/canary.ts';
import type { Finding } from '../../../api/finding.ts';
import { warning } from '../../../api/finding.ts';
import { type CanaryItem, type Check, on } from '../world.ts';

type Family = 'istio' | 'gatewayapi' | 'appmesh' | 'contour' | 'smi' | 'nginx' | 'skipper' | 'apisix' | 'gloo' | 'knative' | 'other';

const smi = /^(smi|linkerd|osm)/;

function familyOf(provider: Provider): Family {
  if (smi.test(provider)) return 'smi';
  const [first] = provider.split(':');
  const families: readonly Family[] = ['istio', 'gatewayapi', 'appmesh', 'contour', 'nginx', 'skipper', 'apisix', 'gloo', 'knative'];
  return families.find((one) => one === first) ?? 'other';
}

/** The routers that read a field of `spec`; all others pass over it. */
const READ_BY: Readonly<Record<string, readonly Family[]>> = {
  ingressRef: ['nginx', 'skipper'],
  routeRef: ['apisix'],
  upstreamRef: ['gloo'],
  'service.gateways': ['istio', 'smi'],
  'service.gatewayRefs': ['gatewayapi'],
  'service.hosts': ['istio', 'gatewayapi', 'smi'],
  'service.delegation': ['istio'],
  'service.trafficPolicy': ['istio'],
  'service.match': ['istio', 'gatewayapi', 'contour', 'appmesh'],
  'service.rewrite': ['istio', 'gatewayapi'],
  'service.headers': ['istio', 'gatewayapi'],
  'service.corsPolicy': ['istio', 'gatewayapi'],
  'service.mirror': ['gatewayapi'],
  'service.timeout': ['istio', 'gatewayapi', 'contour', 'appmesh'],
  'service.backendTimeout': ['gatewayapi'],
  'service.retries': ['istio', 'contour', 'appmesh'],
  'service.meshName': ['appmesh'],
  'service.backends': ['appmesh'],
};

/** Fields that the traffic provider of a Canary does not read. */
export const idleFields: Check = ({ canaries }) => canaries.flatMap((item) => on(item, [...ofProvider(item), ...ofStrategy(item)]));

function ofProvider({ canary: { spec }, provider }: CanaryItem): Finding[] {
  if (provider === undefined) return [];
  const family = familyOf(provider);
  return Object.entries(READ_BY).flatMap(([field, families]) => {
    if (families.includes(family) || isEmpty(valueAt(spec, field))) return [];
    return [
      warning(
        `spec.${field}`,
        `has no effect with provider ${provider}, only with ${families.join(', ')}: remove it, or change the provider`,
      ),
    ];
  });
}

/** Fields of the analysis that another one turns off. */
function ofStrategy({ canary: { spec } }: CanaryItem): Finding[] {
  const { analysis } = spec;
  const found: Finding[] = [];
  const idle = (field: string, why: string) => found.push(warning(`spec.analysis.${field}`, `has no effect ${why}: remove it`));
  if (analysis.mirrorWeight !== undefined && !analysis.mirror) idle('mirrorWeight', 'without analysis.mirror');
  const isByIterations = analysis.iterations !== undefined && analysis.stepWeight === undefined && analysis.stepWeights === undefined;
  if (isByIterations && analysis.maxWeight !== undefined) idle('maxWeight', 'with iterations, which move no weight');
  if (isByIterations && analysis.stepWeightPromotion !== undefined) idle('stepWeightPromotion', 'with iterations, which move no weight');
  return found;
}

const valueAt = (spec: object, field: string): unknown =>
  field
    .split('.')
    .reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined), spec);

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  value === false ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
