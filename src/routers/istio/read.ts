import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';
import { pairOfPattern } from '../cookie.ts';
import { readRules } from '../read-rules.ts';
import { ALL, type Split } from '../weights.ts';
import { type IstioMatch, splitMatch } from './match.ts';

/** The fields that are read of a foreign rule; all else is ignored. */
interface VirtualServiceRule {
  match?: IstioMatch[];
  route?: Array<{ destination?: { host?: string }; weight?: number; headers?: Headers }>;
  headers?: Headers;
  mirror?: { host?: string };
  mirrorPercentage?: { value?: number };
}
type Headers = { response?: { add?: Record<string, string> } };

/** The routes of a VirtualService that we or Flagger wrote. */
export function readVirtualService(canary: Canary, object: KubeObject): Routes | UnreadableRoutes {
  const { http, tcp } = specOf<{ http: VirtualServiceRule[]; tcp: VirtualServiceRule[] }>(object);
  const rules = (http?.length ? http : tcp) ?? [];
  const { canaryService } = names(canary);
  return readRules(canary, object, rules, {
    splitOf: (rule) => splitOf(canary, rule),
    isAlike: (rule, main) => isDeepStrictEqual(rule.match, main.match),
    cookieOf,
    cookiesOf,
    matchOf: (main, rest) => splitMatch(main.match ?? [], rest.match ?? [], canary.spec.analysis.match),
    copiedBy: ({ mirror, mirrorPercentage }) =>
      mirror?.host !== undefined && isHost(canary, mirror.host, canaryService) ? (mirrorPercentage?.value ?? 100) : undefined,
  });
}

function splitOf(canary: Canary, rule: VirtualServiceRule): Split {
  const { primaryService, canaryService } = names(canary);
  const route = rule.route ?? [];
  const split: Split = { primary: 0, canary: 0, namesCanary: false };
  for (const { destination, weight } of route) {
    const host = destination?.host ?? '';
    // A single destination takes all requests, with any weight.
    const share = route.length === 1 ? ALL : (weight ?? 0);
    if (isHost(canary, host, primaryService)) split.primary += share;
    else if (isHost(canary, host, canaryService)) {
      split.canary += share;
      split.namesCanary = true;
    }
  }
  return split;
}

/** Short, or qualified by our namespace. */
export function isHost(canary: Canary, host: string, service: string): boolean {
  const qualified = `${service}.${canary.metadata.namespace}`;
  return host === service || host === qualified || host.startsWith(`${qualified}.`);
}

/** The pair that a rule requires and the main rule does not. */
function cookieOf(rule: VirtualServiceRule, main: VirtualServiceRule): string | undefined {
  const known = (main.match?.[0]?.headers ?? {}) as Record<string, unknown>;
  const own = Object.entries((rule.match?.[0]?.headers ?? {}) as Record<string, { regex?: string }>).find(
    ([name, condition]) => name.toLowerCase() === 'cookie' && !isDeepStrictEqual(known[name], condition),
  );
  return own?.[1].regex === undefined ? undefined : pairOfPattern(own[1].regex);
}

/** `Set-Cookie` of the answers to a rule. */
function cookiesOf({ headers, route = [] }: VirtualServiceRule): string[] {
  return [headers, ...route.map((side) => side.headers)].map((one) => one?.response?.add?.['Set-Cookie'] ?? '');
}
