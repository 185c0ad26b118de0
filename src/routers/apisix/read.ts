import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../api/kube-object.ts';
import type { HttpMatch, Routes, UnreadableRoutes, Weight } from '../../api/routes.ts';
import { ALL, readAs, readWeights } from '../weights.ts';
import { readExprs } from './exprs.ts';
import { DEFAULT_WEIGHT, type RawRule, rulesOf, type SideServices } from './rules.ts';

const ENTRY = /-ab-\d+$/;

/** The routes that the rules of the copy express; the user's own expressions are those of `source`. */
export function readApisixRules(copy: KubeObject, sides: SideServices, source: KubeObject | undefined): Routes | UnreadableRoutes {
  const where = `ApisixRoute ${copy.metadata.name}`;
  const rules = rulesOf(copy);
  const shares = rules.map((rule) => shareOf(rule, sides));
  const [share] = shares;
  if (share === undefined || shares.some((one) => one !== share))
    return {
      unreadable: `the rules of ${where} do not share between ${sides.primary} and ${sides.canary} by whole weights that sum to ${ALL}`,
    };
  const match = readMatch(rules, source);
  if (match === 'unreadable') return { unreadable: `match.exprs of ${where} say more than an A/B condition can` };
  return readAs(share, match);
}

function shareOf({ backends = [] }: RawRule, { primary, canary }: SideServices): Weight | undefined {
  const [first, second] = [primary, canary].map((name) => backends.find(({ serviceName }) => serviceName === name));
  if (!first || !second || backends.length !== 2) return undefined;
  return readWeights({ primary: first.weight ?? DEFAULT_WEIGHT, canary: second.weight ?? DEFAULT_WEIGHT });
}

/** Every rule of the user has the same entries: read those of the first. */
function readMatch(rules: readonly RawRule[], source: KubeObject | undefined): HttpMatch[] | undefined | 'unreadable' {
  const nameOf = ({ name = '' }: RawRule) => name.replace(ENTRY, '');
  const [first] = rules;
  const group = rules.filter((rule) => first && nameOf(rule) === nameOf(first));
  const entries = group.map((rule) => {
    const exprs = rule.match?.exprs ?? [];
    const users = rulesOf(source).find(({ name }) => name === nameOf(rule))?.match?.exprs ?? [];
    return isDeepStrictEqual(exprs.slice(0, users.length), users) ? exprs.slice(users.length) : exprs;
  });
  if (entries.every((exprs) => exprs.length === 0)) return undefined;
  const match = entries.map((exprs) => (exprs.length === 0 ? undefined : readExprs(exprs)));
  return match.every((entry): entry is HttpMatch => entry !== undefined) ? match : 'unreadable';
}
