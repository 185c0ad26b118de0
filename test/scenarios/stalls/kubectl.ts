import type { ObjectRef } from '../../../src/api/kube-object.ts';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';

/** Versions of the kinds in findings. */
const VERSIONS: Readonly<Record<string, string>> = {
  Canary: 'flagger.app/v1beta1',
  MetricTemplate: 'flagger.app/v1beta1',
  Deployment: 'apps/v1',
  DaemonSet: 'apps/v1',
  Service: 'v1',
  ConfigMap: 'v1',
  Secret: 'v1',
  HorizontalPodAutoscaler: 'autoscaling/v2',
};

/** `apiVersion` is needed if the kind does not identify the object. */
export function refOfKind(kind: string, name: string, namespace: string, apiVersion?: string): ObjectRef {
  const known = Object.keys(VERSIONS).find((one) => one.toLowerCase() === kind.toLowerCase());
  if (known === undefined) throw new Error(`no test knows the kind ${kind}`);
  return { apiVersion: apiVersion ?? VERSIONS[known] ?? '', kind: known, name, namespace };
}

/** Does what kubectl would do with these words, without kubectl; the end-to-end tier gives the same words to the real one. */
export async function kubectlHere(cluster: KubeCluster, words: readonly string[]): Promise<void> {
  const { rest, flags } = parsed(words);
  const [verb, ...operands] = rest;
  const [first = '', second = '', ...values] = verb === 'rollout' ? operands.slice(1) : operands;
  const [kind = '', name = second] = first.split('/');
  const ref = refOfKind(kind, name, flags.get('-n') ?? 'default');
  if (verb === 'patch' && flags.get('--type') === 'merge') await cluster.patch(ref, JSON.parse(flags.get('-p') ?? ''));
  else if (verb === 'annotate' && values.length === 1 && flags.has('--overwrite')) {
    const [key = '', ...value] = (values[0] ?? '').split('=');
    await cluster.patch(ref, { metadata: { annotations: { [key]: value.join('=') } } });
  } else if (verb === 'scale') await cluster.patch(ref, { spec: { replicas: Number(flags.get('--replicas')) } }, { subresource: 'scale' });
  else if (verb === 'rollout' && operands[0] === 'resume') await cluster.patch(ref, { spec: { paused: null } });
  else throw new Error(`kubectl ${words.join(' ')}: no test has run that yet`);
}

/** Parses `--flag value`, `--flag=value` and `--overwrite`, which has no value. */
function parsed(words: readonly string[]): { rest: string[]; flags: Map<string, string> } {
  const rest: string[] = [];
  const flags = new Map<string, string>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const [flag = '', ...value] = word.split('=');
    if (!word.startsWith('-')) rest.push(word);
    else if (flag === '--overwrite') flags.set(flag, '');
    else if (value.length > 0) flags.set(flag, value.join('='));
    else {
      index += 1;
      flags.set(flag, words[index] ?? '');
    }
  }
  return { rest, flags };
}
