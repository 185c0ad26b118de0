import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { Slim } from '../../api/kube-object.ts';
import { selectorText } from '../label-selector.ts';

/** The label selector by which the API lists the pods of a workload; undefined where it selects none, or cannot be written. */
export function podSelector(object: Slim): string | undefined {
  return selectorText(asPodWorkload(object).spec?.selector) || undefined;
}
