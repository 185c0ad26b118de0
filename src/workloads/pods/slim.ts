import type { KubeObject } from '../../api/kube-object.ts';

/** Of a pod template only what Services, selectors and node choice are made from: the rest is in the revision, and read when promoted. */
export function slimPodWorkload(object: KubeObject): KubeObject {
  const { template, ...spec } = object.spec ?? {};
  const podSpec = template?.spec ?? {};
  const containers = (podSpec.containers ?? []).map((c: { name: string; ports?: unknown }) => ({ name: c.name, ports: c.ports }));
  return { ...object, spec: { ...spec, template: { metadata: template?.metadata ?? {}, spec: { containers } } } };
}
