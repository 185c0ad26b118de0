import { error, type Finding, warning } from '../../../api/finding.ts';
import { names } from '../../../api/names.ts';
import { type CanaryItem, type ManifestCheck, on, whereOf } from '../manifests.ts';

/** Two Canaries for one target or one apex Service: only the older one is run (TargetTaken). */
export const rivals: ManifestCheck = ({ canaries }) =>
  canaries.flatMap((younger, index) => {
    if (!younger.place) return [];
    const others = canaries.filter(
      (other, at) => (at < index || !other.place) && !isSame(other, younger) && other.namespace === younger.namespace,
    );
    const rival = others.map((other) => ({ other, field: sharedField(other, younger) })).find(({ field }) => field !== undefined);
    if (!rival?.field) return [];
    const { field, other } = rival;
    // Files that hold a Canary twice are not all applied to one cluster, such as a base and its overlays.
    const isCertain = [other, younger].every((one) => canaries.filter((each) => each.place && isSame(each, one)).length <= 1);
    const find: (path: string, message: string) => Finding = isCertain ? error : warning;
    const thing = field === 'spec.targetRef.name' ? 'target' : 'apex Service';
    const remedy = `remove one, or give it another ${thing}`;
    return on(younger, [find(field, `is the ${thing} of ${whereOf(other)}, too, and only the older Canary is run: ${remedy}`)]);
  });

const isSame = (a: CanaryItem, b: CanaryItem): boolean => a.name === b.name && a.namespace === b.namespace;

function sharedField({ canary: one }: CanaryItem, { canary: other }: CanaryItem): string | undefined {
  const [a, b] = [one.spec.targetRef, other.spec.targetRef];
  if (a.kind === b.kind && a.name === b.name) return 'spec.targetRef.name';
  return names(one).apexService === names(other).apexService ? 'spec.service.name' : undefined;
}
