import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { changeOf, type JsonPatchOperation, type PrimarySpec } from '../workload.ts';
import { withHeldLabels } from './render-primary.ts';

/** Not ours to patch: the scale subresource's, immutable, and the user's switch. */
const KEPT = new Set(['replicas', 'selector', 'paused', 'template']);

/**
 * JSON patch that puts `spec` into the primary. A replaced template leaves nothing of the old one behind, as a merge would;
 * the test of resourceVersion refuses it when another writer was first.
 */
export function promotionPatch(primary: KubeObject, spec: PrimarySpec): JsonPatchOperation[] {
  const current = asPodWorkload(primary).spec;
  const { template } = withHeldLabels(spec, current.selector?.matchLabels ?? {});
  const fields = [...new Set([...Object.keys(spec), ...Object.keys(current)])].filter((field) => !KEPT.has(field)).sort();
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: primary.metadata.resourceVersion },
    { op: 'replace', path: '/spec/template', value: template },
    ...fields.flatMap((field) => changeOf(pathOf(field), current[field], spec[field])),
  ];
}

const pathOf = (field: string): string => `/spec/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
