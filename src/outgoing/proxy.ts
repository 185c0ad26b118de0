import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'] as const;

/** The variables that name proxies, as the process has them. */
export type ProxyEnvironment = Partial<Record<(typeof proxyVariables)[number], string>>;

/** The variables that are set and not empty. */
export function proxiesIn(environment: NodeJS.ProcessEnv): ProxyEnvironment {
  return Object.fromEntries(proxyVariables.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

/** `undefined` if the text is not an http(s) URL, or if its user info is not percent-encoded. */
export function proxyUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url && (url.protocol === 'http:' || url.protocol === 'https:') && isDecodable(url.username + url.password) ? url : undefined;
}

/** Node's agent throws for user info that it cannot decode. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Agents for one call: through `proxy` if it is given, otherwise through the proxies of the environment. `undefined` if this Node version does not
 * support proxies: a direct call would show the address to a network that must not see it.
 */
export function agentsFor(proxy: string | undefined, environment: ProxyEnvironment): { http: HttpAgent; https: HttpsAgent } | undefined {
  if ((proxy !== undefined || Object.keys(environment).length > 0) && !knowsProxies(process.versions.node)) return undefined;
  const proxyEnv = proxy === undefined ? { ...environment } : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  return { http: new HttpAgent({ proxyEnv }), https: new HttpsAgent({ proxyEnv }) };
}

/** Source: Node's documentation of `http.Agent`, `proxyEnv`: added in v24.5.0 and v22.21.0. */
export function knowsProxies(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
}
