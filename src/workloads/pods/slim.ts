import type { KubeObject } from '../../api/kube-object.ts';
import { withoutLastApplied } from '../../api/tracking-metadata.ts';

interface Container {
  name: string;
  restartPolicy?: string;
  ports?: unknown;
}

/** Keeps the fields of a pod template that Services, selectors and node choice need: the rest is in the revision, and read when promoted. */
export function slimPodWorkload(object: KubeObject): KubeObject {
  const { template, ...spec } = object.spec ?? {};
  const podSpec = template?.spec ?? {};
  const containers = (podSpec.containers ?? []).map(({ name, ports }: Container) => ({ name, ports }));
  const sidecars = (podSpec.initContainers ?? []).filter(({ restartPolicy, ports }: Container) => restartPolicy === 'Always' && ports);
  const initContainers = sidecars.map(({ name, restartPolicy, ports }: Container) => ({ name, restartPolicy, ports }));
  const kept = { containers, ...(initContainers.length > 0 && { initContainers }) };
  const metadata = withoutLastApplied(object.metadata);
  return { ...object, metadata, spec: { ...spec, template: { metadata: template?.metadata ?? {}, spec: kept } } };
}
