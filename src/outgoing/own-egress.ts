import { lookup } from 'node:dns';
import { proxyFromEnv } from '../base/proxy-from-env.ts';
import type { EgressPolicy, OutgoingConnection } from './connection.ts';
import { throughProxy } from './egress-agents.ts';

interface OwnEgressSettings {
  /** The variables that name proxies. */
  proxyEnvironment: Readonly<Record<string, string>>;
  /** Make the connections of direct calls, where those are not made by TCP. */
  agents?: OutgoingConnection['agent'] | undefined;
}

/** Egress policy for addresses and proxies in flags: the operator chose them, so they are neither restricted nor concealed. */
export function ownEgress({ proxyEnvironment, agents }: OwnEgressSettings): EgressPolicy {
  return (url, proxy) => {
    const hop = proxy ?? proxyFromEnv(url.href, proxyEnvironment);
    if (hop === undefined) return { ...(agents && { agent: agents }), end: () => undefined };
    return throughProxy(hop, { problemOf: () => undefined, lookup, reached: () => undefined });
  };
}

/** Any address, through no proxy but a given one. */
export const openEgress: EgressPolicy = ownEgress({ proxyEnvironment: {} });
