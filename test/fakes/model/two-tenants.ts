import type { KubeObject } from '../../../src/api/kube-object.ts';
import { anchorRef } from './damage.ts';
import { canaryRef, type ModelLab, NAMESPACE } from './lab.ts';
import { promoted } from './uninstalling.ts';

/** The namespace of a tenant who may write everything there, and nothing elsewhere. */
export const HOSTILE = 'hostile';

/** A neighbour whose release is promoted, and a hostile tenant; Serin is down. */
export async function twoTenants(): Promise<ModelLab> {
  const lab = await promoted();
  lab.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: HOSTILE } });
  lab.kill();
  return lab;
}

/** The neighbour's own anchor, copied into the hostile namespace and changed there. */
export function forgedAnchor(lab: ModelLab, change: (anchor: KubeObject) => void = () => undefined, name = anchorRef.name): KubeObject {
  const real = lab.server.find(anchorRef);
  const { labels, annotations } = real?.metadata ?? {};
  const forged = structuredClone({
    ...anchorRef,
    metadata: { name, namespace: HOSTILE, labels, annotations },
    revision: 0,
    data: real?.data,
  });
  const { name: _, namespace: _n, ...anchor } = { ...forged } as KubeObject & { name?: string; namespace?: string };
  change(anchor);
  return anchor;
}

/** Uids of all objects of the neighbour that a release of its Canary needs. */
export function neighbour(lab: ModelLab): (string | undefined)[] {
  const service = { apiVersion: 'v1', kind: 'Service', name: 'podinfo-primary', namespace: NAMESPACE };
  const primary = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo-primary', namespace: NAMESPACE };
  return [anchorRef, canaryRef, primary, service].map((ref) => lab.server.find(ref)?.metadata.uid);
}
