import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { Labels, Slim } from '../../api/kube-object.ts';
import type { SelectorLabels } from '../../api/selector-label.ts';
import { withoutTracking } from '../../api/tracking-metadata.ts';
import { spreadKeys } from '../spread-terms.ts';

/** Labels of the pods that a primary of this target has: those of deployment tools only where pods are selected or spread by them. */
export function primaryPodLabels(target: Slim, selector: SelectorLabels): Labels {
  const { selector: own, template } = asPodWorkload(target).spec;
  const needed = new Set([...Object.keys(own.matchLabels ?? {}), ...spreadKeys(template.spec)]);
  return { ...withoutTracking(template.metadata?.labels, needed), ...selector.held, [selector.key]: selector.primary };
}
