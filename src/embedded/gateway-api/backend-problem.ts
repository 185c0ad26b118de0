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
export interface Surroundings {
  service(namespace: string, name: string): KubeObject | undefined;
  grants(): readonly KubeObject[];
}

/** Why requests cannot go to a backend, as the reason of a ResolvedRefs condition; undefined when they can. */
export function backendProblem(ref: BackendRef, route: KubeObject, { service, grants }: Surroundings): string | undefined {
  const { group = '', kind = 'Service', name, namespace = route.metadata.namespace ?? '', port } = ref;
  if (group !== '' || kind !== 'Service') return 'InvalidKind';
  if (namespace !== route.metadata.namespace && !grants().some((grant) => allows(grant, route, namespace, name))) return 'RefNotPermitted';
  const found = service(namespace, name);
  const ports: { port: number }[] = found?.spec?.ports ?? [];
  return found && ports.some((one) => one.port === port) ? undefined : 'BackendNotFound';
}

/** A ReferenceGrant stands in the namespace of what is referred to. */
function allows(grant: KubeObject, route: KubeObject, namespace: string, name: string): boolean {
  const { from = [], to = [] } = grant.spec ?? {};
  return (
    grant.metadata.namespace === namespace &&
    from.some((one: { kind: string; namespace: string }) => one.kind === route.kind && one.namespace === route.metadata.namespace) &&
    to.some(
      (one: { group: string; kind: string; name?: string }) => one.kind === 'Service' && (one.name === undefined || one.name === name),
    )
  );
}
