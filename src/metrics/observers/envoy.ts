import type { Observer } from './observer.ts';
import { percentiles, successRate } from './shapes.ts';

/** Envoy's own upstream metrics; the products differ in how they name the canary's cluster. Sources: 05-B12–B16. */
function envoy(name: string, selector: string, selectsWorkload = false): Observer {
  return {
    name,
    ...successRate('envoy_cluster_upstream_rq', selector, 'envoy_response_code!~"5.*"'),
    ...percentiles('envoy_cluster_upstream_rq_time_bucket', selector),
    durationUnit: 'ms',
    selectsWorkload,
  };
}

/** Pods of a Deployment: target, template hash, suffix. A Deployment's pattern misses the primary, a DaemonSet's would not (05-B28). */
export const podSelector = 'kubernetes_namespace="{{ namespace }}",kubernetes_pod_name=~"{{ target }}-[0-9a-zA-Z]+(-[0-9a-zA-Z]+)"';
/** Pods of a DaemonSet: target and suffix. */
export const daemonPodSelector = 'kubernetes_namespace="{{ namespace }}",kubernetes_pod_name=~"{{ target }}-[0-9a-zA-Z]+"';

export const appmesh = envoy('appmesh', podSelector, true);
export const appmeshDaemonSet = envoy('appmesh', daemonPodSelector, true);
export const contour = envoy('contour', 'envoy_cluster_name=~"{{ namespace }}_{{ service }}-canary_[0-9a-zA-Z-]+"');
/** By the Service's name, as our router names the canary (05-W11). */
export const gloo = envoy('gloo', 'envoy_cluster_name=~"{{ namespace }}-{{ service }}-canaryupstream-[0-9a-zA-Z-]+_[0-9a-zA-Z-]+"');
/** By the Service's name, as our router names the canary (05-W11). */
export const kuma = envoy('kuma', 'service=~"{{ service }}-canary_{{ namespace }}_svc_[0-9a-zA-Z-]+"');
export const knative = envoy('knative', 'envoy_cluster_name=~"{{ namespace }}/{{ route }}"');
