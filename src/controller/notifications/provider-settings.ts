import type { AlertProviderType } from '../../api/alert-provider.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { parseAlertProvider } from '../../api/parse-canary.ts';
import { type ReadSecret, RefusedSecret } from '../../api/secret-use.ts';
import type { notifierFor } from '../../notifiers/index.ts';

/** Kind and settings of a receiver. */
export interface ProviderSettings {
  type: AlertProviderType;
  settings: Parameters<typeof notifierFor>[1];
}

/** The settings of an AlertProvider with those of its Secret, or why it has none; the words hold no credentials. */
export async function providerSettings(
  provider: KubeObject,
  namespace: string,
  secret: ReadSecret,
): Promise<ProviderSettings | { problem: string }> {
  const parsed = parseAlertProvider(provider);
  if ('problems' in parsed) return { problem: `${parsed.problems[0]?.path ?? 'spec'}: ${parsed.problems[0]?.message ?? 'cannot be read'}` };
  const { type, secretRef, proxy, channel, username, format, address } = parsed.alertProvider.spec;
  const data = secretRef && (await secret(namespace, secretRef.name, 'spec.secretRef'));
  if (data instanceof RefusedSecret) return { problem: data.reason };
  if (secretRef && data === undefined) return { problem: `its Secret ${secretRef.name} does not exist` };
  if (secretRef && !data?.address && !address)
    return { problem: `its Secret ${secretRef.name} has no key address, and spec.address is not set` };
  const { token, signingKey } = data ?? {};
  return { type, settings: { address: data?.address || address || '', token, signingKey, proxy, channel, username, format } };
}
