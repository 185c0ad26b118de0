import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { type Affinity, type Routes, type UnreadableRoutes, Weight } from '../../api/routes.ts';
import { cookieRole, pairOfPattern } from '../cookie.ts';
import { ALL, readAs, readWeights, type Split } from '../weights.ts';
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
  const splits = rules.map((rule) => splitOf(canary, rule));
  const last = rules.length - 1;
  // Only an A/B release has a last rule without the canary: it serves those who do not match.
  const hasFallback = last > 0 && splits[last]?.namesCanary === false && splits[last - 1]?.namesCanary === true;
  const at = hasFallback ? last - 1 : last;
  const main = rules[at];
  const split = splits[at];
  const { primaryService, canaryService } = names(canary);
  const where = `VirtualService ${object.metadata.name}`;
  if (!main || !split?.namesCanary) return { unreadable: `${where} does not route to ${primaryService} and ${canaryService}` };
  const share = readWeights(split);
  if (share === undefined) return { unreadable: `the weights of ${where} are not whole numbers that sum to 100` };

  const affinity = readAffinity(canary, rules.slice(0, at), main);
  if ('unreadable' in affinity) return affinity;
  if (hasFallback) {
    const match = splitMatch(main.match ?? [], rules[last]?.match ?? [], canary.spec.analysis.match);
    if (!match) return { unreadable: `the condition of ${where} for its canary matches every request` };
    return readAs(share, match, affinity);
  }
  if (main.mirror?.host !== undefined && isHost(canary, main.mirror.host, canaryService)) {
    const copied = Weight.safeParse(main.mirrorPercentage?.value ?? 100);
    if (share > 0 || !copied.success) return { unreadable: `${where} mirrors to a canary that also has weight, or a broken percentage` };
    return { kind: 'mirrored', share: copied.data };
  }
  return readAs(share, undefined, affinity);
}

function splitOf(canary: Canary, rule: VirtualServiceRule): Split {
  const { primaryService, canaryService } = names(canary);
  const route = rule.route ?? [];
  const split: Split = { primary: 0, canary: 0, namesCanary: false };
  for (const { destination, weight } of route) {
    const host = destination?.host ?? '';
    // A single destination takes all, whatever its weight says.
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
function isHost(canary: Canary, host: string, service: string): boolean {
  const qualified = `${service}.${canary.metadata.namespace}`;
  return host === service || host === qualified || host.startsWith(`${qualified}.`);
}

function readAffinity(canary: Canary, rules: readonly VirtualServiceRule[], main: VirtualServiceRule): Affinity | UnreadableRoutes {
  const affinity: Affinity = {};
  for (const rule of rules) {
    const pair = cookieOf(rule, main);
    if (pair === undefined) {
      // Flagger writes a plain copy of the main rule first without a cookie to delete.
      if (isDeepStrictEqual(rule.match, main.match)) continue;
      return { unreadable: 'a rule of the VirtualService is neither ours nor one of Flagger' };
    }
    if (pair.startsWith('=')) continue;
    affinity[cookieRole(canary, pair, cookiesOf(rule), splitOf(canary, rule).canary)] = pair;
  }
  return affinity;
}

/** The pair that a rule asks for beyond what the main rule asks for. */
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
