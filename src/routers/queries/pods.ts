/** Pods of a Deployment: target, template hash, suffix. A Deployment's pattern misses the primary, a DaemonSet's would not (05-B28). */
export const podSelector = 'kubernetes_namespace="{{ namespace }}",kubernetes_pod_name=~"{{ target }}-[0-9a-zA-Z]+(-[0-9a-zA-Z]+)"';
/** Pods of a DaemonSet: target and suffix. */
export const daemonPodSelector = 'kubernetes_namespace="{{ namespace }}",kubernetes_pod_name=~"{{ target }}-[0-9a-zA-Z]+"';
