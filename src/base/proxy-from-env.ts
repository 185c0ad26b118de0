import { BlockList, isIP } from 'node:net';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment wants for a URL: HTTPS_PROXY or HTTP_PROXY by its scheme, unless NO_PROXY names the host. Loopback is
 * never proxied. Source: golang.org/x/net/http/httpproxy, whose rules kubectl follows.
 */
export function proxyFromEnv(url: string, env: Env): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const name = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = env[name] || env[name.toLowerCase()];
  if (!proxy || isLoopback(host)) return undefined;
  const exempt = (env.NO_PROXY || env.no_proxy || '').split(',').map((rule) => rule.trim().toLowerCase());
  if (exempt.some((rule) => names(rule, host, port || (protocol === 'https:' ? '443' : '80')))) return undefined;
  return /^[a-z0-9]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** `*`, an address, a network, `host`, `.domain` or `*.domain`, each but the first two with a port if wanted. */
function names(rule: string, host: string, port: string): boolean {
  if (rule === '') return false;
  if (rule === '*') return true;
  if (rule.includes('/')) return inNetwork(rule, host);
  const [, name = rule, rulePort] = isIP(rule) ? [] : (/^(.*?)(?::(\d+))?$/.exec(rule) ?? []);
  if (rulePort !== undefined && rulePort !== port) return false;
  const domain = name.replace(/^\*?\./, '');
  const isBelow = host.endsWith(`.${domain}`);
  // `.domain` is what lies below it; `domain` is the domain as well.
  return name === domain ? host === domain || (isIP(host) === 0 && isBelow) : isBelow;
}

function inNetwork(rule: string, host: string): boolean {
  const [address = '', bits = ''] = rule.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const network = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  network.addSubnet(address, Number(bits), type);
  return network.check(host, type);
}
