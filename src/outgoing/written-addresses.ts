import type { AlertProviderSpec } from '../api/alert-provider.ts';
import type { Canary } from '../api/canary.ts';
import type { MetricTemplateSpec } from '../api/metric-template.ts';
import type { Problem } from '../api/problem.ts';
import type { AddressPolicy } from './address-policy.ts';
import { urlHost } from './egress-agents.ts';

/** An address that a resource has Serin call, by the field that names it. */
interface WrittenAddress {
  path: string;
  url: string | undefined;
  isProxy?: boolean;
}

/** Addresses of the calls of a Canary itself. */
export const canaryAddresses = ({ spec }: Pick<Canary, 'spec'>): WrittenAddress[] => [
  { path: 'spec.metricsServer', url: spec.metricsServer },
  ...(spec.analysis.webhooks ?? []).map(({ url }, index) => ({ path: `spec.analysis.webhooks[${index}].url`, url })),
];

export const templateAddresses = ({
  provider,
}: {
  provider: Pick<MetricTemplateSpec['provider'], 'address' | 'proxy'>;
}): WrittenAddress[] => [
  { path: 'spec.provider.address', url: provider.address },
  { path: 'spec.provider.proxy', url: provider.proxy, isProxy: true },
];

export const receiverAddresses = ({ address, proxy }: Pick<AlertProviderSpec, 'address' | 'proxy'>): WrittenAddress[] => [
  { path: 'spec.address', url: address },
  { path: 'spec.proxy', url: proxy, isProxy: true },
];

/** Addresses that are never called, judged without a look-up of names. The message follows the path. */
export function refusedAddresses(
  written: readonly WrittenAddress[],
  { problemOf, proxyProblemOf }: Pick<AddressPolicy, 'problemOf' | 'proxyProblemOf'>,
): Problem[] {
  return written.flatMap(({ path, url, isProxy }) => {
    const host = url === undefined ? undefined : URL.parse(url);
    const message = host ? (isProxy ? proxyProblemOf : problemOf)(urlHost(host)) : undefined;
    return message === undefined ? [] : [{ path, message }];
  });
}
