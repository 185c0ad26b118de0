import type { Canary } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import { type Affinity, type HttpMatch, type Routes, type UnreadableRoutes, Weight } from '../api/routes.ts';
import { cookieRole } from './cookie.ts';
import { readAs, readWeights, type Split } from './weights.ts';

/** Reads the common form of rules from the rules of one provider. */
export interface RuleReader<Rule> {
  /** `others`: weight that belongs to neither side. */
  splitOf(rule: Rule): Split & { others?: number };
  /** Tests if two rules are for the same requests. */
  isAlike(rule: Rule, main: Rule): boolean;
  /** The pair that a rule requires and the main rule does not. */
  cookieOf(rule: Rule, main: Rule): string | undefined;
  /** `Set-Cookie` of the answers to a rule. */
  cookiesOf(rule: Rule): string[];
  /** The condition of the main rule beyond that of the rule for all other requests, if it has one. */
  matchOf(main: Rule, rest: Rule): HttpMatch[] | undefined;
  /** Percent of requests that are copied to the canary, `undefined` if no requests are. */
  copiedBy(main: Rule): number | undefined;
}

/** The routes of an object with a list of rules, of which the first that fits decides. */
export function readRules<Rule>(
  canary: Canary,
  { kind, metadata: { name } }: KubeObject,
  rules: readonly Rule[],
  reader: RuleReader<Rule>,
): Routes | UnreadableRoutes {
  const splits = rules.map((rule) => reader.splitOf(rule));
  // Only an A/B release has a last rule without the canary: it serves clients that do not match.
  const last = rules.length - 1;
  const hasFallback = last > 0 && splits[last]?.namesCanary === false && splits[last - 1]?.namesCanary === true;
  const at = hasFallback ? last - 1 : last;
  const [main, split, rest] = [rules[at], splits[at], rules[at + 1]];
  const { primaryService, canaryService } = names(canary);
  const where = `${kind} ${name}`;
  if (!main || !split?.namesCanary) return { unreadable: `${where} does not route to ${primaryService} and ${canaryService}` };
  const share = readWeights(split);
  if (share === undefined || (split.others ?? 0) > 0)
    return { unreadable: `the weights of ${where} are not whole numbers that sum to 100` };
  const affinity = readAffinity(canary, rules.slice(0, at), main, reader);
  if (affinity === undefined) return { unreadable: `a rule of the ${kind} is neither ours nor one of Flagger's` };
  if (rest) {
    const match = reader.matchOf(main, rest);
    return match ? readAs(share, match, affinity) : { unreadable: `the condition of ${where} for its canary matches every request` };
  }
  const copied = reader.copiedBy(main);
  if (copied === undefined) return readAs(share, undefined, affinity);
  const percent = Weight.safeParse(copied);
  if (share > 0 || !percent.success) return { unreadable: `${where} mirrors to a canary that also has weight, or a broken percentage` };
  return { kind: 'mirrored', share: percent.data };
}

/** `undefined` if a rule before the main one is not for a cookie. */
function readAffinity<Rule>(canary: Canary, rules: readonly Rule[], main: Rule, reader: RuleReader<Rule>): Affinity | undefined {
  const affinity: Affinity = {};
  for (const rule of rules) {
    const pair = reader.cookieOf(rule, main);
    // Flagger writes a plain copy of the main rule first without a cookie to delete.
    if (pair === undefined && !reader.isAlike(rule, main)) return undefined;
    if (pair === undefined || pair.startsWith('=')) continue;
    affinity[cookieRole(canary, pair, reader.cookiesOf(rule), reader.splitOf(rule).canary)] = pair;
  }
  return affinity;
}
