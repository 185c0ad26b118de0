import type { Canary } from '../api/canary.ts';
import type { Delivery } from '../api/canary-status.ts';
import { parseAlertProvider } from '../api/parse-canary.ts';
import type { Cluster } from '../kube/cluster.ts';
import { notifierFor } from '../notifiers/index.ts';
import type { Notifier, SendOutcome } from '../notifiers/notifier.ts';
import type { ReadSecret } from '../webhooks/hook-secret.ts';
import type { ControllerConfig } from './config.ts';

/** `isFinal`: no attempt can change it, so it counts as answered. */
export type AlertOutcome = SendOutcome & { isFinal?: boolean };
export type SendAlert = (canary: Canary, delivery: Delivery, signal: AbortSignal) => Promise<AlertOutcome>;

interface Room {
  config: Pick<ControllerConfig, 'clusterName' | 'noCrossNamespaceRefs' | 'proxyEnvironment'>;
  cluster: Pick<Cluster, 'get'>;
  secret: ReadSecret;
  global: Notifier | undefined;
}

/** Sends one alert to one receiver. AlertProvider and Secret are read for each attempt: what was corrected counts at once. */
export function alertSender(room: Room): SendAlert {
  return async (canary, delivery, signal) => {
    const { alert } = delivery;
    const receiver = alert?.to ? await receiverOf(alert.to, canary, room, signal) : room.global;
    if (receiver === undefined) return { ok: true };
    if (!('send' in receiver)) return receiver;
    const { namespace, name } = canary.metadata;
    const { clusterName } = room.config;
    const isFailed = delivery.outcome === 'Failed';
    return receiver.send(
      {
        key: delivery.key,
        canary: { namespace, name },
        severity: alert?.severity ?? (isFailed ? 'error' : 'info'),
        reason: alert?.reason ?? (isFailed ? 'Failed' : 'Succeeded'),
        text: delivery.message,
        // A20: before all others.
        fields: [...(clusterName === '' ? [] : [{ name: 'Cluster', value: clusterName }]), ...(alert?.fields ?? [])],
        atMs: delivery.sinceMs,
      },
      signal,
    );
  };
}

type Problem = AlertOutcome & { ok: false };

async function receiverOf(
  to: { namespace: string; name: string },
  canary: Canary,
  { config, cluster, secret }: Room,
  signal: AbortSignal,
): Promise<Notifier | Problem> {
  // Also here: it may have been listed before the flag was set (05 T24).
  if (config.noCrossNamespaceRefs && to.namespace !== canary.metadata.namespace)
    return {
      ok: false,
      reason: `it is in namespace ${to.namespace}, which --no-cross-namespace-refs forbids`,
      retry: false,
      isFinal: true,
    };
  try {
    const found = await cluster.get({ apiVersion: canary.apiVersion, kind: 'AlertProvider', ...to }, { signal });
    if (found === undefined) return wrong('it does not exist: create it, or correct providerRef');
    const parsed = parseAlertProvider(found);
    if ('problems' in parsed) return wrong(`${parsed.problems[0]?.path ?? 'spec'}: ${parsed.problems[0]?.message ?? 'cannot be read'}`);
    const { type, secretRef, proxy, channel, username, format, address } = parsed.alertProvider.spec;
    const data = secretRef && (await secret(to.namespace, secretRef.name));
    if (secretRef && data === undefined) return wrong(`its Secret ${secretRef.name} does not exist`);
    if (secretRef && !data?.address && !address)
      return wrong(`its Secret ${secretRef.name} has no key address, and there is no spec.address`);
    const made = notifierFor(
      type,
      {
        address: data?.address || address || '',
        token: data?.token,
        signingKey: data?.signingKey,
        proxy,
        channel,
        username,
        format,
      },
      { environment: config.proxyEnvironment },
    );
    return 'problem' in made ? wrong(made.problem) : made;
  } catch {
    signal.throwIfAborted();
    // The error of a failed read may quote the request; the words for the user are ours.
    return { ok: false, reason: 'it or its Secret could not be read', retry: true };
  }
}

function wrong(reason: string): Problem {
  return { ok: false, reason, retry: false };
}
