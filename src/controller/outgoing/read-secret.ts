import { type ReadSecret, secretRefusal } from '../../api/secret-use.ts';
import type { Cluster } from '../../kube/cluster.ts';
import type { ControllerConfig } from '../config.ts';

/** Reads Secrets, decodes their values and keeps nothing; type and labels come with the same request. */
export function secretReader(
  cluster: Pick<Cluster, 'get'>,
  { requireSecretLabel }: Pick<ControllerConfig, 'requireSecretLabel'>,
  signal: AbortSignal,
): ReadSecret {
  return async (namespace, name, field) => {
    const secret = await cluster.get({ apiVersion: 'v1', kind: 'Secret', namespace, name }, { signal });
    if (!secret) return undefined;
    const refusal = secretRefusal(secret, field, { isLabelRequired: requireSecretLabel });
    if (refusal) return refusal;
    const values = Object.entries(secret.data ?? {});
    return Object.fromEntries(values.map(([key, value]) => [key, Buffer.from(String(value), 'base64').toString()]));
  };
}
