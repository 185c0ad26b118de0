/** A label matcher of a query whose workload has a known sample name. */
export interface LabelMatcher {
  label: string;
  op: string;
  value: string;
}

/** The side of a release that a matcher selects: `canaryName` is a workload called like the canary's Service, which never exists. */
export type MatchedSides = 'target' | 'primary' | 'both' | 'canaryName';

/** A label matcher that selects the pods of a workload. */
export interface WorkloadMatcher {
  label: string;
  matches: MatchedSides;
  isPod: boolean;
  text: string;
}

const OF_PODS = /^(exported_|kubernetes_|k8s_|container_label_io_kubernetes_)?pod(_name)?$/;
const OF_WORKLOADS = /^(destination_|dst_|kube_)?(deployment|workload|workload_name|app|daemonset|canonical_service)$/;

/** Labels whose values are names of pods. */
export const isPodLabel = (label: string): boolean => OF_PODS.test(label);

/** Labels of Services, such as `destination_service`, are not among these: there `-canary` and `-primary` are right. */
export function matchedSides({ label, op, value }: LabelMatcher, word: string): MatchedSides | undefined {
  const isPod = isPodLabel(label);
  if ((!isPod && !OF_WORKLOADS.test(label)) || !value.includes(word) || op.startsWith('!')) return undefined;
  const test = tester(op, value);
  if (!test) return undefined;
  const [target, primary, canary] = isPod ? podSides(word, test) : sidesOf(word).map(test);
  if (target) return primary ? 'both' : 'target';
  if (primary) return 'primary';
  return canary ? 'canaryName' : undefined;
}

const sidesOf = (word: string): string[] => [word, `${word}-primary`, `${word}-canary`];

/** Pods of Deployments, DaemonSets and StatefulSets: a pattern is written for one of them, and judged by it. */
const POD_SUFFIXES = ['-5d8f9c7b6d-x2x4z', '-x2x4z', '-0', ''];

function podSides(word: string, test: (name: string) => boolean): boolean[] {
  const styles = POD_SUFFIXES.map((suffix) => sidesOf(word).map((base) => test(base + suffix)));
  return styles.find((sides) => sides.includes(true)) ?? [];
}

/** Prometheus anchors a regular expression at both ends. */
function tester(op: string, value: string): ((name: string) => boolean) | undefined {
  if (op !== '=~') return (name) => name === value;
  if (value.length > 500) return undefined;
  try {
    const pattern = new RegExp(`^(?:${value})$`);
    return (name) => pattern.test(name);
  } catch {
    return undefined;
  }
}
