import { asDaemonSet, type DaemonSet } from '../../api/kinds/daemon-set.ts';
import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import type { KubeObject, Slim } from '../../api/kube-object.ts';

/** A DaemonSet has no replicas: a node selector that no node answers keeps its pods away. */
export const SCALE_TO_ZERO = 'flagger.app/scale-to-zero';

export function isScaledToZero(daemonSet: Slim): boolean {
  return asDaemonSet(daemonSet).spec?.template?.spec?.nodeSelector?.[SCALE_TO_ZERO] !== undefined;
}

/** The template as the user means it: without our key, and with an empty selector being none. */
export function withoutScaleToZero(template: PodTemplate): PodTemplate {
  const { nodeSelector, ...spec } = template.spec;
  const { [SCALE_TO_ZERO]: _ours, ...own } = nodeSelector ?? {};
  return { ...template, spec: { ...spec, ...(Object.keys(own).length > 0 ? { nodeSelector: own } : {}) } };
}

/** The same of a whole DaemonSet. */
export function unscaled(object: KubeObject): DaemonSet {
  const daemonSet = asDaemonSet(object);
  return { ...daemonSet, spec: { ...daemonSet.spec, template: withoutScaleToZero(daemonSet.spec.template) } };
}
