/** The label in which these matchers find a namespace. */
export const namespaceLabel = 'kubernetes_namespace';
/** Matches every pod of the namespace. */
export const ofNamespace = `${namespaceLabel}="{{ namespace }}"`;

const podsOf = (suffix: string) => (workload: string) => `${ofNamespace},kubernetes_pod_name=~"${workload}-${suffix}"`;

/** Pods of a Deployment: its name, template hash, suffix. A Deployment's pattern misses the primary, a DaemonSet's would not. */
export const podsOfDeployment = podsOf('[0-9a-zA-Z]+(-[0-9a-zA-Z]+)');
/** Pods of a DaemonSet: its name and suffix. */
export const podsOfDaemonSet = podsOf('[0-9a-zA-Z]+');
/** The label in which these matchers find a pod. */
export const podLabel = 'kubernetes_pod_name';
