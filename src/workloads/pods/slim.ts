import { asPodWorkload, type PodWorkload } from '../../api/kinds/pod-workload.ts';
import type { KubeObject, Slim } from '../../api/kube-object.ts';
import { withoutLastApplied } from '../../api/tracking-metadata.ts';

/** Keeps the fields of a pod template that Services, selectors and node choice need: the rest is in the revision, and read when promoted. */
export function slimPodWorkload(object: KubeObject): Slim<PodWorkload> {
  const workload = asPodWorkload(object);
  const { template, ...spec } = workload.spec ?? {};
  const podSpec = template?.spec ?? {};
  const containers = (podSpec.containers ?? []).map(({ name, ports }) => ({ name, ...(ports && { ports }) }));
  const sidecars = (podSpec.initContainers ?? []).filter(({ restartPolicy, ports }) => restartPolicy === 'Always' && ports);
  const initContainers = sidecars.map(({ name, ports }) => ({ name, restartPolicy: 'Always', ...(ports && { ports }) }));
  const kept = { containers, ...(initContainers.length > 0 && { initContainers }) };
  const metadata = withoutLastApplied(object.metadata);
  return { ...workload, metadata, spec: { ...spec, template: { metadata: template?.metadata ?? {}, spec: kept } } };
}
