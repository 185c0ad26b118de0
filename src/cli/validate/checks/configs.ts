import { error, type Finding } from '../../../api/finding.ts';
import type { PodWorkloadSpec } from '../../../api/kinds/pod-workload-spec.ts';
import { specOf } from '../../../api/kinds/spec-of.ts';
import type { JsonRecord } from '../../../base/json.ts';
import { MOST_CONFIGS } from '../../../workloads/configs/read-configs.ts';
import { configReferences } from '../../../workloads/configs/references.ts';
import { type CanaryItem, findItem, findingOn, isAbsent, type ManifestCheck, type Manifests, targetIn } from '../manifests.ts';

/** Names at most this many of one target. */
const MOST = 5;

/** ConfigMaps and Secrets that the pods of a target cannot start without, and that neither files nor cluster have. */
export const configs: ManifestCheck = (manifests) =>
  manifests.canaries.flatMap((item) => {
    const target = targetIn(manifests, item);
    if (target === undefined) return [];
    const [on, path] = target.place ? [target, 'spec.template.spec'] : [item, 'spec.targetRef.name'];
    return findingOn(on, absentOnes(item, path, specOf<PodWorkloadSpec>(target.object).template?.spec, manifests));
  });

function* absentOnes(
  { canary, namespace }: CanaryItem,
  path: string,
  podSpec: JsonRecord | undefined,
  manifests: Manifests,
): Generator<Finding> {
  const { kind: targetKind, name: target } = canary.spec.targetRef;
  const read = configReferences(podSpec).slice(0, MOST_CONFIGS);
  const absent = read.filter(
    ({ kind, name, optional }) =>
      !optional && isAbsent(manifests, kind) && findItem(manifests, { kind, group: '', name, namespace }) === undefined,
  );
  for (const { kind, name } of absent.slice(0, MOST))
    yield error(
      path,
      `${targetKind} ${target} reads ${kind} ${name}, which was not found in namespace ${namespace}: create it, or make the reference optional`,
    );
}
