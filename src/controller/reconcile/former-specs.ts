import { type AnchoredSpec, type Canary, NamedProvider, RoutedSpec } from '../../api/canary.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { readAll } from '../../kube/cluster.ts';
import { isForbidden } from '../../kube/errors.ts';
import { routerFor } from '../../routers/index.ts';
import type { Originals } from '../../workloads/anchor.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { DepsOf } from '../controller-deps.ts';
import { isOurs } from '../objects/ownership.ts';

/**
 * The current Canary, and the Canary under each former `service.name` and with its routes before an edit (E113): their clients also lose nothing. A
 * former Service that leads elsewhere by now is another writer's.
 */
export async function currentAndFormerSpecs(
  canary: Canary,
  target: KubeObject,
  { canary: first, formerSpecs = [] }: Originals,
  { cluster, view, config, signal }: DepsOf<'cluster' | 'view' | 'config'>,
): Promise<Canary[]> {
  const workload = workloadFor(canary.spec.targetRef);
  if (first === undefined || 'unsupported' in workload || !workload.hasPods) return [canary];
  const primary = view.find(workload.primaryRef(canary))?.object;
  const sides = [{ target, primary }, { target }].map((each) => workload.selectors(each, config.selectorLabels));
  const labels = sides.flatMap((own) =>
    'problem' in own
      ? []
      : [
          { key: own.key, value: own.target },
          { key: own.key, value: own.primary },
        ],
  );
  if (labels.length === 0) return [canary];
  const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Service', namespace: canary.metadata.namespace }, { signal });
  const firstName = names(first).apexService;
  const formerOf = (name: string): Canary => {
    const { service } = (name === firstName ? first : canary).spec;
    return { ...canary, spec: { ...canary.spec, service: { ...service, name } } };
  };
  const isFormer = (service: KubeObject): boolean => {
    const { name } = service.metadata;
    const { selector = {} } = specOf<ServiceSpec>(service);
    const isOwn = labels.some(({ key, value }) => selector[key] === value);
    return isOwn && name !== names(canary).apexService && (name === firstName || hasPrimary(formerOf(name), items));
  };
  const routed = await routedBefore(canary, [...formerSpecs, first.spec], { cluster, config, signal });
  return [canary, ...items.filter(isFormer).map(({ metadata }) => formerOf(metadata.name)), ...routed];
}

/** This Canary under each earlier provider whose routes exist and can be read. */
async function routedBefore(
  canary: Canary,
  anchored: readonly AnchoredSpec[],
  { cluster, config, signal }: DepsOf<'cluster' | 'config'>,
): Promise<Canary[]> {
  const providerOf = ({ spec }: Pick<Canary, 'spec'>) => spec.provider ?? config.meshProvider;
  const { provider: _, routeRefs: _routes, ...spec } = canary.spec;
  const left = specsOfLeftRoutes(canary);
  const known = new Set<string>([canary, ...left].map(providerOf));
  const candidates = anchored.map(
    ({ provider, service, routeRefs }): Canary => ({
      ...canary,
      spec: { ...spec, ...(provider && { provider }), ...(routeRefs && { routeRefs }), service },
    }),
  );
  const others = new Map(candidates.flatMap((one) => (known.has(providerOf(one)) ? [] : [[providerOf(one), one] as const])));
  const found: Canary[] = [];
  for (const before of [...left, ...others.values()]) {
    const router = routerFor(providerOf(before), config);
    if ('unsupported' in router) continue;
    try {
      if ((await readAll(router.watches(before), cluster, signal)).length > 0) found.push(before);
    } catch (error) {
      // The role can know only the current provider.
      if (!isForbidden(error)) throw error;
    }
  }
  return found;
}

/** This Canary at the time when it wrote the routes that an edit has left behind. */
export function specsOfLeftRoutes(canary: Canary): Canary[] {
  return (canary.status?.release?.leftRoutes ?? []).flatMap((left) => {
    const provider = NamedProvider.safeParse(left.provider).data;
    const routed = RoutedSpec.safeParse(left.spec).data;
    if (provider === undefined || routed === undefined) return [];
    const { service: _, ingressRef: _ingress, routeRef: _route, routeRefs: _routes, upstreamRef: _upstream, ...spec } = canary.spec;
    return [{ ...canary, spec: { ...spec, ...routed, provider } }];
  });
}

/** Generated Services stay until the Canary is deleted, and show a former name that nothing else records. */
function hasPrimary(former: Canary, services: readonly KubeObject[]): boolean {
  const { primaryService } = names(former);
  return services.some((service) => service.metadata.name === primaryService && isOurs(former, service));
}
