import type { Canary } from '../../api/canary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { choosesUsers } from '../../api/provider-capabilities.ts';
import { factsOf } from '../../api/providers.ts';
import type { Routes } from '../../api/routes.ts';
import { rootService, splitSpec } from '../../api/traffic-split.ts';
import { findObject } from '../find-object.ts';
import { givenBack, keeping } from '../found-in-place.ts';
import { type NamesOurSides, namesIn } from '../original-spec.ts';
import type { RouteChange, Router } from '../router.ts';
import { RoutingError, rejectionOf } from '../routing-error.ts';
import { canaryWeight, matchOf, primaryWeight } from '../weights.ts';
import { readSplit } from './read.ts';
import { isOurGroup, renderRouteGroup } from './route-group.ts';
import { splitFindings } from './split-findings.ts';

export type SmiVersion = 'v1alpha1' | 'v1alpha2' | 'v1alpha3' | 'v1alpha4';

const GATEWAYS = 'VirtualService.v1alpha3.networking.istio.io/spec.gateways';

function namesOurSides(canary: Canary): NamesOurSides {
  const { canaryService, primaryService } = names(canary);
  return namesIn('service', [canaryService, primaryService]);
}

/** The Service Mesh Interface's TrafficSplit. `mesh` is the text after `smi:v1alphaN:`; only `istio` means something (04-4.3). */
export function smi(version: SmiVersion, mesh?: 'istio'): Router {
  const matches = version === 'v1alpha3' || version === 'v1alpha4';

  function splitRef(canary: Canary): ObjectRef {
    return {
      apiVersion: `split.smi-spec.io/${version}`,
      kind: 'TrafficSplit',
      name: names(canary).apexService,
      namespace: canary.metadata.namespace,
    };
  }
  function groupRef(canary: Canary): ObjectRef {
    return {
      apiVersion: `specs.smi-spec.io/${version}`,
      kind: 'HTTPRouteGroup',
      name: names(canary).apexService,
      namespace: canary.metadata.namespace,
    };
  }

  function render(canary: Canary, routes: Routes, current: readonly KubeObject[]): RouteChange {
    const match = matchOf(routes);
    if (match && !matches) throw new RoutingError(`SMI ${version} cannot match requests: A/B releases need smi:v1alpha3 or smi:v1alpha4`);
    const wanted = renderSplit(canary, splitRef(canary), routes, match ? groupRef(canary) : undefined);
    const split = keeping(wanted, current, namesOurSides(canary));
    if (match) return { write: [keeping(renderRouteGroup(groupRef(canary), match), current, isOurGroup), split], remove: [] };
    const freed = givenBack(matches ? [[groupRef(canary), isOurGroup]] : [], current);
    return { write: [split, ...freed.write], remove: freed.remove };
  }

  function renderSplit(canary: Canary, ref: ObjectRef, routes: Routes, group: ObjectRef | undefined): KubeObject {
    const { apexService, primaryService, canaryService } = names(canary);
    if (routes.kind === 'mirrored') throw new RoutingError('SMI cannot mirror requests: set analysis.mirror to false', 'analysis.mirror');
    const share = canaryWeight(routes);
    const asWeight = (value: number) => (version === 'v1alpha1' ? String(value) : value);
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

  return {
    supports: factsOf(`smi:${version}`).can,
    refuses: (canary) => {
      const match = canary.spec.analysis.match;
      if (!matches)
        return choosesUsers(canary)
          ? new RoutingError(`SMI ${version} cannot match requests: analysis.match needs smi:v1alpha3 or smi:v1alpha4`)
          : undefined;
      if (!match?.length) return undefined;
      return rejectionOf(() => renderRouteGroup(groupRef(canary), match));
    },
    watches: (canary) => [splitRef(canary), ...(matches ? [groupRef(canary)] : [])],
    render: (canary, _apex, routes, current) => render(canary, routes, current),
    readRoutes(canary, current) {
      const split = findObject(current, splitRef(canary));
      return split && readSplit(canary, split, findObject(current, groupRef(canary)));
    },
    warnings(canary, look) {
      const ref = splitRef(canary);
      const split = look.find(ref);
      if (!split) return [];
      const { namespace } = canary.metadata;
      const { service = '', backends = [] } = splitSpec(split);
      const named = [rootService(String(service), namespace), ...backends.map((backend) => backend.service)];
      const services = named.flatMap((name) => look.find({ apiVersion: 'v1', kind: 'Service', name, namespace }) ?? []);
      const known = [...services, ...look.all({ ...ref, namespace })];
      return splitFindings(split, known).map(({ path, message }) => ({ on: split, message: `${path} ${message}` }));
    },
    finalize: (canary, current) =>
      givenBack([[splitRef(canary), namesOurSides(canary)], ...(matches ? ([[groupRef(canary), isOurGroup]] as const) : [])], current),
  };
}
