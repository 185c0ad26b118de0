import type { KubeObject } from '../../api/kube-object.ts';

/** One entry of a Knative Service's `spec.traffic`. */
export interface TrafficTarget {
  revisionName?: string;
  latestRevision?: boolean;
  percent?: number;
  tag?: string;
  [field: string]: unknown;
}

export function trafficOf(service: KubeObject): readonly TrafficTarget[] {
  return Array.isArray(service.spec?.traffic) ? service.spec.traffic : [];
}

/** The user's own addresses of single revisions: they stay, without a share of the traffic (07 K rows). */
export function taggedTargets(service: KubeObject): TrafficTarget[] {
  return trafficOf(service)
    .filter(({ tag }) => tag)
    .map(({ percent: _percent, ...target }) => ({ ...target, percent: 0 }));
}
