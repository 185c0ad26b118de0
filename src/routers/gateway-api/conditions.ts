import { isDeepStrictEqual } from 'node:util';
import type { StringMatch } from '../../api/string-match.ts';
import { RoutingError } from '../routing-error.ts';

/** One condition on a header or query parameter of a route. */
export interface GatewayCondition {
  type: 'Exact' | 'RegularExpression';
  name: string;
  value: string;
}

/** Source: the patterns and limits of the published CRDs, here and below. */
const TOKEN = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,256}$/;
const MOST_CONDITIONS = 16;
const LONGEST = { headers: 4096, queryParams: 1024 } as const;
export type ConditionKind = keyof typeof LONGEST;

/** Conditions by name, in the order of their names: the API server and we must agree on one order. `field` names the conditions in messages. */
export function conditionsOf(map: Readonly<Record<string, StringMatch>>, kind: ConditionKind, field: string): GatewayCondition[] {
  const found = Object.entries(map).map(([name, condition]) => conditionOf(name, condition, kind, `${field}.${kind}[${name}]`));
  const joined = found.reduce<GatewayCondition[]>((all, one) => joinConditions(all, [one], kind, field), []);
  if (joined.length > MOST_CONDITIONS) throw RoutingError.at(`${field}.${kind}`, `has more than ${MOST_CONDITIONS} entries`);
  return joined;
}

function conditionOf(name: string, condition: StringMatch, kind: ConditionKind, field: string): GatewayCondition {
  checkHeaderName(name, field);
  if (!('exact' in condition) && !('regex' in condition))
    throw RoutingError.at(field, 'is a prefix or suffix, which Gateway API does not know', 'use exact or regex');
  const [type, value] = 'exact' in condition ? (['Exact', condition.exact] as const) : (['RegularExpression', condition.regex] as const);
  if (value.length === 0 || value.length > LONGEST[kind])
    throw RoutingError.at(field, `has ${value.length} characters: Gateway API takes 1 to ${LONGEST[kind]}`);
  return { type, name, value };
}

/** Throws a RoutingError at `field` where the CRD of the Gateway API would refuse the name. */
export function checkHeaderName(name: string, field: string): void {
  if (!TOKEN.test(name)) throw RoutingError.at(field, `has ${JSON.stringify(name)}, which is not a name that Gateway API takes`);
}

/** Both must hold. A name can occur only once in a match, and header names ignore case. */
export function joinConditions(
  base: readonly GatewayCondition[],
  extra: readonly GatewayCondition[],
  kind: ConditionKind,
  field: string,
): GatewayCondition[] {
  const joined = [...base];
  for (const one of extra) {
    const other = joined.find(({ name }) => isSameName(name, one.name, kind));
    if (other === undefined) joined.push(one);
    else if (!isDeepStrictEqual({ ...other, name: '' }, { ...one, name: '' }))
      throw RoutingError.at(field, `puts a second condition on ${kind} ${one.name}, and Gateway API cannot combine the two`);
  }
  return sorted(joined);
}

/** Without those of `base`. */
export function subtractConditions(
  all: readonly GatewayCondition[],
  base: readonly GatewayCondition[],
  kind: ConditionKind,
): GatewayCondition[] {
  return all.filter((one) => !base.some((other) => isSameName(one.name, other.name, kind) && one.value === other.value));
}

/** By name, so that equal matches are equal as JSON. */
export function sorted(conditions: readonly GatewayCondition[]): GatewayCondition[] {
  return conditions.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The reverse of `conditionsOf`. */
export function toStringMatches(conditions: readonly GatewayCondition[]): Record<string, StringMatch> {
  return Object.fromEntries(
    conditions.map(({ type, name, value }) => [name, type === 'RegularExpression' ? { regex: value } : { exact: value }]),
  );
}

function isSameName(one: string, other: string, kind: ConditionKind): boolean {
  return kind === 'headers' ? one.toLowerCase() === other.toLowerCase() : one === other;
}
