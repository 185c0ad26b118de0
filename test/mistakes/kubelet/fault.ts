import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';

/** Reason for which a kubelet, a registry or the application keeps a pod from becoming ready. */
export type Fault =
  | { kind: 'pull'; image: string; error: string; missingSecrets: readonly string[] }
  | { kind: 'config'; error: string }
  | { kind: 'crash'; exitCode: number; reason: 'Error' | 'OOMKilled'; lastWords?: string }
  | { kind: 'unready'; error: string };

/** Objects of a namespace that pods refer to. */
export interface Configs {
  configMap(namespace: string, name: string): KubeObject | undefined;
  secret(namespace: string, name: string): KubeObject | undefined;
}

/** Images that the public registry of this world has. */
const PUBLISHED = /^ghcr\.io\/example\/web:\d+\.\d+\.\d+(-\w+)?$/;
const PRIVATE_HOST = 'registry.example.com';
/** Memory that the version `-large` takes when it starts. */
const LARGE_BYTES = 64 * 2 ** 20;
/** The path at which the application says that it is ready; any other path is a 404. */
export const READY_PATH = '/readyz';

/** The first fault that a real node would meet with this pod, in the order in which it would: image, configs, start, probe. */
export function faultOf(pod: KubeObject, configs: Configs): Fault | undefined {
  const [container] = raw(pod).spec.containers ?? [];
  return container && (pullFault(pod, container.image, configs) ?? configFault(pod, container, configs) ?? startFault(container));
}

function pullFault(pod: KubeObject, image: string, { secret }: Configs): Fault | undefined {
  const namespace = pod.metadata.namespace ?? '';
  const named: string[] = (raw(pod).spec.imagePullSecrets ?? []).map(({ name }: { name: string }) => name);
  const missingSecrets = named.filter((name) => secret(namespace, name) === undefined);
  const fails = (end: string): Fault => ({
    kind: 'pull',
    image,
    missingSecrets,
    error: `failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${end}`,
  });
  if (image.startsWith(`${PRIVATE_HOST}/`)) {
    if (named.length > missingSecrets.length) return undefined;
    return fails(
      'pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials',
    );
  }
  return PUBLISHED.test(image) ? undefined : fails(`${image}: not found`);
}

/** Messages as in the kubelet's `makeEnvironmentVariables`. */
function configFault(pod: KubeObject, container: { env?: object[]; envFrom?: object[] }, configs: Configs): Fault | undefined {
  const namespace = pod.metadata.namespace ?? '';
  const find = { configMap: configs.configMap, secret: configs.secret };
  const words = { configMap: ['configmap', 'ConfigMap'], secret: ['secret', 'Secret'] } as const;
  const missing = (kind: 'configMap' | 'secret', ref?: { name: string; key?: string; optional?: boolean }): Fault | undefined => {
    if (ref === undefined || ref.optional) return undefined;
    const found = find[kind](namespace, ref.name);
    if (found === undefined) return { kind: 'config', error: `${words[kind][0]} "${ref.name}" not found` };
    if (ref.key === undefined || ref.key in (raw(found).data ?? {})) return undefined;
    return { kind: 'config', error: `couldn't find key ${ref.key} in ${words[kind][1]} ${namespace}/${ref.name}` };
  };
  for (const { configMapRef, secretRef } of raw(container).envFrom ?? []) {
    const fault = missing('configMap', configMapRef) ?? missing('secret', secretRef);
    if (fault) return fault;
  }
  for (const { valueFrom } of raw(container).env ?? []) {
    const fault = missing('configMap', valueFrom?.configMapKeyRef) ?? missing('secret', valueFrom?.secretKeyRef);
    if (fault) return fault;
  }
  return undefined;
}

/** Version `-database` needs `DATABASE_URL`, version `-large` needs 64 MiB, and all answer at `/readyz`. */
function startFault(container: object): Fault | undefined {
  const { image, env = [], resources = {}, readinessProbe, terminationMessagePolicy } = raw(container);
  if (image.endsWith('-database') && !env.some(({ name }: { name: string }) => name === 'DATABASE_URL')) {
    const lastWords = 'panic: DATABASE_URL is not set\n';
    return { kind: 'crash', exitCode: 1, reason: 'Error', ...(terminationMessagePolicy === 'FallbackToLogsOnError' && { lastWords }) };
  }
  if (image.endsWith('-large') && bytes(resources.limits?.memory) < LARGE_BYTES)
    return { kind: 'crash', exitCode: 137, reason: 'OOMKilled' };
  const path = readinessProbe?.httpGet?.path;
  if (path !== undefined && path !== READY_PATH)
    return { kind: 'unready', error: 'Readiness probe failed: HTTP probe failed with statuscode: 404' };
  return undefined;
}

function bytes(limit: string | undefined): number {
  const [, count, unit] = /^(\d+)([KMG]i)$/.exec(limit ?? '') ?? [];
  return count === undefined ? Number.POSITIVE_INFINITY : Number(count) * 1024 ** ('KMG'.indexOf(unit?.[0] ?? '') + 1);
}
