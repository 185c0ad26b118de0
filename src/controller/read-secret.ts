import type { Cluster } from '../kube/cluster.ts';

/** The values of a Secret, decoded and never kept; undefined when it does not exist. */
export async function readSecret(
  cluster: Pick<Cluster, 'get'>,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<Record<string, string> | undefined> {
  const secret = await cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace, name }, { signal });
  if (!secret) return undefined;
  const values = Object.entries(secret.data ?? {});
  return Object.fromEntries(values.map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString()]));
}
