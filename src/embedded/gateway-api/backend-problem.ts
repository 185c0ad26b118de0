import { servicePorts } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';

export interface BackendRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  weight?: number;
}

/** Other objects as known; a proxy knows them later than a controller. */
export interface RouteSurroundings {
  service(namespace: string, name: string): KubeObject | undefined;
  grants(): readonly KubeObject[];
}

/** Reason for which requests cannot go to a backend, as in a ResolvedRefs condition; `undefined` if they can. */
export function backendProblem(ref: BackendRef, route: KubeObject, { service, grants }: RouteSurroundings): string | undefined {
  const { group = '', kind = 'Service', name, namespace = route.metadata.namespace ?? '', port } = ref;
  if (group !== '' || kind !== 'Service') return 'InvalidKind';
  if (namespace !== route.metadata.namespace && !grants().some((grant) => allows(grant, route, namespace, name))) return 'RefNotPermitted';
  const found = service(namespace, name);
  return servicePorts(found).some((one) => one.port === port) ? undefined : 'BackendNotFound';
}

interface ReferenceGrant {
  from: { kind: string; namespace: string }[];
  to: { group: string; kind: string; name?: string }[];
}

/** A ReferenceGrant is in the namespace of the object that is referred to. */
function allows(grant: KubeObject, route: KubeObject, namespace: string, name: string): boolean {
  const { from = [], to = [] } = specOf<ReferenceGrant>(grant);
  return (
    grant.metadata.namespace === namespace &&
    from.some((one) => one.kind === route.kind && one.namespace === route.metadata.namespace) &&
    to.some((one) => one.kind === 'Service' && (one.name === undefined || one.name === name))
  );
}
