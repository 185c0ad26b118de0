import type { LabelSelector } from '../../api/kinds/label-selector.ts';
import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { KubeObject, Labels, ObjectRef, Slim } from '../../api/kube-object.ts';
import type { SelectorLabels } from '../../api/selector-label.ts';
import { primaryPodLabels } from '../pods/render-primary.ts';
import type { CompanionSides } from './companion.ts';

interface FoundSides {
  /** Absent if it was deleted. */
  target?: Slim | undefined;
  primary?: Slim | undefined;
  /** The stored target, if the primary does not exist yet: the primary will have its labels. */
  whole?: KubeObject | undefined;
}

/** Labels of both sides, for kinds with a pod template. Those of a deleted target follow from the primary. */
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

/** The labels of a primary made from the target. */
function willBe(target: Slim, selector: SelectorLabels): { labels: Labels; matchLabels: Labels } {
  const { matchLabels } = podsOf(target);
  return { labels: primaryPodLabels(target, selector), matchLabels: { ...matchLabels, [selector.key]: selector.primary } };
}
