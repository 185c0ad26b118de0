import { AlertProviderType } from '../api/alert-provider.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { isRecord } from '../base/json.ts';
import type { EgressPolicy } from '../outgoing/connection.ts';
import { proxyUrl } from '../outgoing/proxy.ts';
import * as listed from './formats.ts';
import type { AlertFormat, Notifier, ReceiverSettings } from './notifier.ts';
import { postAlert } from './post-alert.ts';

/** A type of receiver without a format, or the reverse, does not compile. */
export const formats: Record<AlertProviderType, AlertFormat> & Record<Exclude<keyof typeof listed, AlertProviderType>, never> = listed;

/** True for an AlertProvider whose kind sets the states of commits. */
export function marksCommits({ spec }: KubeObject): boolean {
  const type = AlertProviderType.safeParse(isRecord(spec) ? spec.type : undefined);
  return type.success && formats[type.data].marksCommits === true;
}

/** Total time of one alert, in milliseconds. */
const TIMEOUT_MS = 5000;

type GivenSettings = Omit<ReceiverSettings, 'channel' | 'username'> & { channel?: string | undefined; username?: string | undefined };

/** Settings in their used form: without line ends, and with Flagger's defaults. */
export function readSettings(given: GivenSettings): ReceiverSettings {
  return {
    ...given,
    address: given.address.trim(),
    token: given.token?.trim() || undefined,
    signingKey: given.signingKey?.trim() || undefined,
    channel: given.channel || 'general',
    username: given.username || 'flagger',
  };
}

/** The receiver that these settings describe, or the problem with them. Its text holds no credentials. */
export function notifierFor(
  type: AlertProviderType,
  given: GivenSettings,
  options: { timeoutMs?: number; egress?: EgressPolicy; clock?: Clock | undefined } = {},
): Notifier | { problem: string } {
  const { timeoutMs = TIMEOUT_MS, egress, clock = systemClock } = options;
  const format: AlertFormat = formats[type];
  const settings = readSettings(given);
  const address = URL.parse(settings.address);
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:') return { problem: 'the address must be an http or https URL' };
  const proxy = given.proxy?.trim() || undefined;
  if (proxy !== undefined && proxyUrl(proxy) === undefined) return { problem: 'the proxy must be an http or https URL' };
  const problem = format.problemOf?.(settings, address);
  if (problem !== undefined) return { problem };
  return {
    async send(message, signal) {
      if (format.wants?.(message) === false) return { ok: true };
      const reason = format.refuses?.(message);
      if (reason !== undefined) return { ok: false, reason, mayRetry: false, isFinal: true };
      const url = format.url?.(address, message) ?? address;
      return postAlert({ url, format, settings, message, proxy, egress, timeoutMs, signal, clock });
    },
  };
}
