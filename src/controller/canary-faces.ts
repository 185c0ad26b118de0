import type { Canary } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import { primaryValue } from '../api/selector-label.ts';
import type { Originals } from '../workloads/anchor.ts';
import { workloadFor } from '../workloads/index.ts';
import type { ControllerRoom } from './controller-room.ts';

/**
 * The Canary as it is, and as it was when it began: clients of a `service.name` that has been changed since lose nothing either (03 SV19).
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
  const { apexService: name } = names(first);
  const own = workload.selector(target, config.selectorLabels);
  if (name === names(canary).apexService || 'problem' in own) return [canary];
  const service = await cluster.get({ apiVersion: 'v1', kind: 'Service', name, namespace: canary.metadata.namespace }, { signal });
  const isOurs = [own.value, primaryValue(own.value)].includes(service?.spec?.selector?.[own.key]);
  return isOurs ? [canary, { ...canary, spec: { ...canary.spec, service: first.spec.service } }] : [canary];
}
