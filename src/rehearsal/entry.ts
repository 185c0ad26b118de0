import type { Canary } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import type { StringMatch } from '../api/string-match.ts';
import { edgeOf, findEdge } from './edges.ts';
import { wayInByListed } from './listed-routes.ts';

/** Host, path and headers with which users reach an application. */
export interface Entry {
  host: string;
  path: string;
  gateway: string;
  headers: Record<string, string>;
  /** Part of the users (0–1) that sends these headers, in an A/B release. */
  chosenShare: number;
  chosenHeaders: Record<string, string>;
}

/** Part of the users that meets the conditions of an A/B release. */
export const CHOSEN_SHARE = 0.1;

/** By provider: the Gateway or Ingress if one exists, else the apex Service. */
export function entryOf(canary: Canary, objects: readonly KubeObject[]): Entry {
  const { spec } = canary;
  const namespace = canary.metadata.namespace;
  const host = `${names(canary).apexService}.${namespace}`;
  const chosenHeaders = headersOf(canary);
  const common = {
    path: pathOf(canary),
    headers: {},
    chosenShare: Object.keys(chosenHeaders).length > 0 ? CHOSEN_SHARE : 0,
    chosenHeaders,
  };
  const provider = spec.provider ?? '';
  const [named = ''] = spec.service.hosts ?? [];
  const outside = concrete(named);
  const listed = wayInByListed(canary, objects);
  if (listed) return { ...common, host: concrete(listed.host) || host, gateway: listed.gateway };
  if (provider === 'istio' && !spec.service.delegation) {
    const gateways = spec.service.gateways ?? [];
    const [gateway] = gateways;
    if (gateway === undefined || gateways.includes('mesh')) return { ...common, host, gateway: 'mesh' };
    return { ...common, host: outside || host, gateway: gateway.includes('/') ? gateway : `${namespace}/${gateway}` };
  }
  if (provider.startsWith('gatewayapi')) {
    const ref = spec.service.gatewayRefs?.find(({ kind = 'Gateway' }) => kind === 'Gateway');
    if (ref) return { ...common, host: outside || host, gateway: `${ref.namespace ?? namespace}/${ref.name}` };
  }
  const found = findEdge(canary, objects);
  const wayIn = found && edgeOf(canary)?.wayIn(found, canary);
  if (wayIn)
    return { ...common, host: concrete(wayIn.host) || host, path: below(wayIn.path, common.path), gateway: wayIn.gateway ?? 'mesh' };
  return { ...common, host, gateway: 'mesh' };
}

/** The path of the Canary if it is below that of the edge. */
const below = (edge: string, path: string): string => (path.startsWith(edge) ? path : edge);

/** A host that matches a wildcard. */
const concrete = (host: string): string => (host === '*' ? 'users.example' : host.replace(/^\*\./, 'users.'));

/** A path that matches the first condition of the route. */
function pathOf({ spec }: Canary): string {
  const uri = spec.service.match?.[0]?.uri;
  return uri && ('exact' in uri || 'prefix' in uri) ? textOf(uri) : '/';
}

function headersOf({ spec }: Canary): Record<string, string> {
  const [match] = spec.analysis.match ?? [];
  return Object.fromEntries(Object.entries(match?.headers ?? {}).map(([name, condition]) => [name.toLowerCase(), textOf(condition)]));
}

function textOf(condition: StringMatch): string {
  if ('regex' in condition) return plain(condition.regex);
  if ('exact' in condition) return condition.exact;
  return 'prefix' in condition ? condition.prefix : condition.suffix;
}

/** A text that matches a simple pattern, as `^(.*?;)?(canary=always)(;.*)?$`. */
function plain(pattern: string): string {
  const without = pattern.replace(/\([^()]*\)[?*]/g, '').replace(/\.[*+]\??/g, '');
  return without.replace(/[\^$()?]/g, '').replace(/\\(.)/g, '$1');
}
