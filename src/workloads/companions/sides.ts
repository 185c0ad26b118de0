import type { LabelSelector } from '../../api/kinds/label-selector.ts';
import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { KubeObject, Labels, ObjectRef, Slim } from '../../api/kube-object.ts';
import type { SelectorLabels } from '../../api/selector-label.ts';
import { primaryPodLabels } from '../pods/primary-labels.ts';
import type { CompanionSides } from './companion.ts';

interface FoundSides {
  /** Absent: it was deleted. */
  target?: Slim | undefined;
  primary?: Slim | undefined;
  /** The target as the server holds it, where the primary is yet to be made: it says which labels that will have. */
  whole?: KubeObject | undefined;
}

/** Labels of both sides, for kinds with a pod template. A target that is gone is as the primary says. */
export function companionSides(
  refs: { target: ObjectRef; primary: ObjectRef },
  { target, primary, whole }: FoundSides,
  selector: SelectorLabels,
  namespaceLabels?: Labels,
): CompanionSides | undefined {
  const source = whole ?? target;
  const made = primary ? podsOf(primary) : source && willBe(source, selector);
  if (made === undefined) return undefined;
  const labelsAsTarget = { ...made.labels, [selector.key]: selector.target };
  return {
    namespace: refs.target.namespace ?? '',
    namespaceLabels,
    key: selector.key,
    target: {
      ref: refs.target,
      labels: target ? podsOf(target).labels : labelsAsTarget,
      owners: target?.metadata.ownerReferences ?? [],
    },
    primary: { ref: refs.primary, labels: made.labels, labelsAsTarget, matchLabels: made.matchLabels },
  };
}

function podsOf(workload: Slim): { labels: Labels; matchLabels: Labels } {
  const { selector, template } = asPodWorkload(workload).spec ?? {};
  const { matchLabels = {} }: LabelSelector = selector ?? {};
  return { labels: template?.metadata?.labels ?? {}, matchLabels };
}

/** As a primary is made of the target. */
function willBe(target: Slim, selector: SelectorLabels): { labels: Labels; matchLabels: Labels } {
  const { matchLabels } = podsOf(target);
  return { labels: primaryPodLabels(target, selector), matchLabels: { ...matchLabels, [selector.key]: selector.primary } };
}
