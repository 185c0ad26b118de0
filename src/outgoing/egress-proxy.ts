import { type EgressAgents, type EgressRules, proxiedAgents } from './egress-agents.ts';
import { proxyUrl } from './proxy.ts';

/** Agents through this proxy; or why there can be none. */
export function throughProxy(hop: string, rules: EgressRules): EgressAgents | { problem: string } {
  const url = proxyUrl(hop);
  if (!url) return { problem: 'its proxy must be an http or https address' };
  return proxiedAgents(url, rules) ?? { problem: 'a proxy needs Node 22.21, 24.5 or later' };
}
