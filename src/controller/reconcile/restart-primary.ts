import type { PodWorkloadSpec } from '../../api/kinds/pod-workload-spec.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { JsonPatchOperation } from '../../workloads/workload.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';
import type { AnswerContext } from './answer-context.ts';
import { patchPrimary } from './patch-primary.ts';

/** Annotation by which kubectl restarts a workload. Comparisons of templates ignore it (E104). */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

/** Restarts the pods of the primary (E134): one annotation of its template, and nothing that they serve. Repeated after a crash it finds its own write. */
export async function restartPrimary(
  atMs: number,
  { canary, cluster, learn, signal }: Pick<AnswerContext, 'canary' | 'cluster' | 'learn' | 'signal'>,
): Promise<{ outcome: 'written' } | { outcome: 'refused'; reason: string }> {
  const { kind } = canary.spec.targetRef;
  if (kind !== 'Deployment' && kind !== 'DaemonSet') return { outcome: 'refused', reason: `a ${kind} has no pods of its own to restart` };
  const primary = await cluster.get(primaryRefOf(canary), { signal });
  if (!primary) return { outcome: 'refused', reason: 'the primary does not exist' };
  const at = new Date(atMs).toISOString();
  if (annotationsOf(primary)?.[RESTARTED_AT] !== at) learn(await patchPrimary(cluster, primary, (now) => patchOf(now, at), signal));
  return { outcome: 'written' };
}

function patchOf(primary: KubeObject, at: string): JsonPatchOperation[] {
  const path = '/spec/template/metadata/annotations';
  const value = { ...annotationsOf(primary), [RESTARTED_AT]: at };
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: primary.metadata.resourceVersion },
    { op: 'add', path, value },
  ];
}

function annotationsOf(primary: KubeObject): Readonly<Record<string, string>> | undefined {
  return specOf<PodWorkloadSpec>(primary).template?.metadata?.annotations;
}
