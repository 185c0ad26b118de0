import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes } from '../../api/routes.ts';
import { RoutingError } from '../routing-error.ts';
import { canaryWeight, primaryWeight } from '../weights.ts';

const GATEWAYS = 'VirtualService.v1alpha3.networking.istio.io/spec.gateways';

interface SplitParts {
  /** The HTTPRouteGroup whose requests are split, by default all requests. */
  group: ObjectRef | undefined;
  mesh: 'istio' | undefined;
}

/** The split of these routes; `mesh` `istio` names the gateways of the Canary in an annotation of its adapter. */
export function renderSplit(canary: Canary, ref: ObjectRef, routes: Routes, { group, mesh }: SplitParts): KubeObject {
  const { apexService, primaryService, canaryService } = names(canary);
  if (routes.kind === 'mirrored') throw new RoutingError('SMI cannot mirror requests: set analysis.mirror to false', 'analysis.mirror');
  const share = canaryWeight(routes);
  // v1alpha1 has quantities.
  const asWeight = (value: number) => (ref.apiVersion.endsWith('/v1alpha1') ? String(value) : value);
  const gateways = canary.spec.service.gateways ?? [];
  return {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: {
      name: ref.name,
      namespace: canary.metadata.namespace,
      ...(mesh === 'istio' && gateways.length > 0 ? { annotations: { [GATEWAYS]: JSON.stringify(gateways) } } : {}),
    },
    spec: {
      service: canary.spec.service.hosts?.[0] ?? apexService,
      ...(group ? { matches: [{ apiGroup: 'specs.smi-spec.io', kind: group.kind, name: group.name }] } : {}),
      // Both stay listed at 100/0: a backend that comes back later is one more thing for a proxy to learn late.
      backends: [
        { service: canaryService, weight: asWeight(share) },
        { service: primaryService, weight: asWeight(primaryWeight(share)) },
      ],
    },
  };
}
