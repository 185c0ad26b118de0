import { asKnativeService, type KnativeTraffic } from '../../api/kinds/knative-service.ts';
import type { KubeObject } from '../../api/kube-object.ts';

/** `spec.traffic`; empty where it is absent or not a list. */
export function trafficEntries(service: KubeObject): readonly KnativeTraffic[] {
  const { traffic } = asKnativeService(service).spec ?? {};
  return Array.isArray(traffic) ? traffic : [];
}

/** The user's own addresses of single revisions: they stay, without a share of the traffic (07 K rows). */
export function taggedTargets(service: KubeObject): KnativeTraffic[] {
  return trafficEntries(service)
    .filter(({ tag }) => tag)
    .map(({ percent: _percent, ...target }) => ({ ...target, percent: 0 }));
}
