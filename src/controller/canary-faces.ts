import type { Canary } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import { primaryValue } from '../api/selector-label.ts';
import type { Originals } from '../workloads/anchor.ts';
import { workloadFor } from '../workloads/index.ts';
import type { ControllerRoom } from './controller-room.ts';
import { isOurs } from './ownership.ts';

/**
 * The Canary as it is, and as it was under each former `service.name`: clients of those lose nothing either (03 SV19).
 * A former Service that leads elsewhere by now is somebody else's.
 */
export async function facesOf(
  canary: Canary,
  target: KubeObject,
  { canary: first }: Originals,
  { cluster, config, signal }: Pick<ControllerRoom, 'cluster' | 'config'> & { signal: AbortSignal },
): Promise<Canary[]> {
  const workload = workloadFor(canary.spec.targetRef);
  if (first === undefined || 'unsupported' in workload || !workload.hasPods) return [canary];
  const own = workload.selector(target, config.selectorLabels);
  if ('problem' in own) return [canary];
  const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Service', namespace: canary.metadata.namespace }, { signal });
  const firstName = names(first).apexService;
  const faceOf = (name: string): Canary => {
    const { service } = (name === firstName ? first : canary).spec;
    return { ...canary, spec: { ...canary.spec, service: { ...service, name } } };
  };
  const isFormer = ({ metadata: { name }, spec }: KubeObject): boolean =>
    name !== names(canary).apexService &&
    [own.value, primaryValue(own.value)].includes(spec?.selector?.[own.key]) &&
    (name === firstName || hasPrimary(faceOf(name), items));
  return [canary, ...items.filter(isFormer).map(({ metadata }) => faceOf(metadata.name))];
}

/** What Serin generates for an apex Service stays until the Canary goes: it tells of a name that nothing else records. */
function hasPrimary(face: Canary, services: readonly KubeObject[]): boolean {
  const { primaryService } = names(face);
  return services.some((service) => service.metadata.name === primaryService && isOurs(face, service));
}
