import { type Finding, ignored } from '../../api/finding.ts';
import type { Labels } from '../../api/kube-object.ts';
import type { HttpMatch } from '../../api/routes.ts';
import type { StringMatch } from '../../api/string-match.ts';
import { anchoredPattern } from '../anchored-pattern.ts';
import { askedMatch } from '../asked-match.ts';
import { checkRegex } from '../checked-regex.ts';
import { RoutingError, refuseConditions } from '../routing-error.ts';

/** The annotations of ingress-nginx that decide about a canary, without their prefix; values that are absent or empty say nothing. */
export interface CanaryRules {
  'canary-by-header'?: string;
  'canary-by-header-value'?: string;
  'canary-by-header-pattern'?: string;
  'canary-by-cookie'?: string;
}

/** Characters that ingress-nginx accepts in values, patterns and names; with any other it drops the annotation. Source: its annotation parser. */
const PLAIN = /^[-/._~a-zA-Z0-9: ]+$/;
const PATTERN = /^[-/._~a-zA-Z0-9:^$[\](){}*+?|&=\\]+$/;
const NAME = /^[-._~a-zA-Z0-9]+$/;
const ELSEWHERE = 'istio and gatewayapi:v1 can';

/** An entry of `analysis.match` as ingress-nginx says it, or why it cannot. */
type MatchEntry = { field: string; rule: CanaryRules } | { field: string; refusal: RoutingError };

/**
 * A condition as ingress-nginx can hold it: one header, or one cookie whose value is `always`, or either of both. The entries are alternatives, so that without
 * some of them fewer users get the canary; an entry that can only be said in part is left out whole, since a part of it would let the wrong users in.
 */
export function renderMatch(match: readonly HttpMatch[]): CanaryRules {
  return chooseEntries(match).rules;
}

/** The entries that have no effect, each with the reason. */
export function ignoredEntries(match: readonly HttpMatch[]): Finding[] {
  return chooseEntries(match).idle;
}

function chooseEntries(match: readonly HttpMatch[]): { rules: CanaryRules; idle: Finding[] } {
  for (const [index, entry] of match.entries()) requireCondition(entry, index);
  const entries = match.map(readEntry);
  const written = new Set([lastOf(entries, 'canary-by-cookie'), lastOf(entries, 'canary-by-header')]);
  const rules = Object.assign({}, ...entries.map((entry) => (written.has(entry) && 'rule' in entry ? entry.rule : {}))) as CanaryRules;
  if (Object.keys(rules).length === 0) {
    const [first] = entries;
    throw first && 'refusal' in first ? first.refusal : RoutingError.at('analysis.match', 'has no entry: it would match every request');
  }
  const idle = entries.filter((entry) => !written.has(entry));
  return { rules, idle: idle.map((entry) => ignored(`spec.${entry.field}`, `has no effect, since ${whyIdle(entry, entries)}`)) };
}

/** The last one, as in Flagger; a pattern for the whole Cookie header, which Flagger does not write, ranks below other headers. */
function lastOf(entries: readonly MatchEntry[], annotation: 'canary-by-header' | 'canary-by-cookie'): MatchEntry | undefined {
  const rivals = entries.filter((entry) => 'rule' in entry && entry.rule[annotation] !== undefined);
  return rivals.findLast((entry) => 'rule' in entry && entry.rule['canary-by-header']?.toLowerCase() !== 'cookie') ?? rivals.at(-1);
}

function whyIdle(entry: MatchEntry, entries: readonly MatchEntry[]): string {
  if ('refusal' in entry) return entry.refusal.message;
  const isHeader = entry.rule['canary-by-header'] !== undefined;
  const written = lastOf(entries, isHeader ? 'canary-by-header' : 'canary-by-cookie');
  return `an Ingress holds one ${isHeader ? 'header' : 'cookie'}, and ${written?.field} is written: keep one of them; ${ELSEWHERE}`;
}

/** No alternative to others: everyone, which is more likely a mistake. */
function requireCondition({ headers, queryParams, sourceLabels }: HttpMatch, index: number): void {
  if ([headers, queryParams, sourceLabels].some((conditions) => Object.keys(conditions ?? {}).length > 0)) return;
  throw RoutingError.at(`analysis.match[${index}]`, 'names no header: it would match every request');
}

function readEntry(entry: HttpMatch, index: number): MatchEntry {
  const field = `analysis.match[${index}]`;
  try {
    const [name, condition] = onlyHeader(entry, field);
    return { field, rule: ruleOf(name, condition, `${field}.headers.${name}`) };
  } catch (error) {
    if (error instanceof RoutingError) return { field, refusal: error };
    throw error;
  }
}

function onlyHeader(entry: HttpMatch, field: string): [string, StringMatch] {
  const problem = `cannot be expressed by ingress-nginx: match on a header; ${ELSEWHERE}`;
  refuseConditions(entry, ['queryParams', 'sourceLabels'], field, problem);
  const headers = Object.entries(entry.headers ?? {});
  const [only, ...others] = headers;
  if (only && others.length === 0) return only;
  throw RoutingError.at(field, `has ${headers.length} headers, which ingress-nginx cannot match together: keep one; ${ELSEWHERE}`);
}

/** A cookie is named by `exact` and must have the value `always`, as in Flagger; other forms look at the Cookie header. */
function ruleOf(name: string, condition: StringMatch, field: string): CanaryRules {
  if (!NAME.test(name)) throw RoutingError.at(field, 'has a name that ingress-nginx does not accept: use letters, digits and -');
  if (name.toLowerCase() === 'cookie' && 'exact' in condition) {
    if (!NAME.test(condition.exact))
      throw RoutingError.at(
        `${field}.exact`,
        'must be the name of a cookie, which matches with the value always; for other values use regex',
      );
    return { 'canary-by-cookie': condition.exact };
  }
  if ('exact' in condition && PLAIN.test(condition.exact) && condition.exact === condition.exact.trim())
    return { 'canary-by-header': name, 'canary-by-header-value': condition.exact };
  checkRegex(condition, field, 'PCRE');
  // ingress-nginx searches for the pattern in the value; a regex of the user's means that, as in Flagger.
  const pattern = 'regex' in condition ? condition.regex : anchoredPattern(condition);
  if (!PATTERN.test(pattern))
    throw RoutingError.at(field, `has characters that ingress-nginx does not accept in a value or pattern; ${ELSEWHERE}`);
  return { 'canary-by-header': name, 'canary-by-header-pattern': pattern };
}

/** The reverse of `renderMatch`; `likely` picks between forms of a condition that are written alike. `undefined` without a condition. */
export function readMatch(rules: CanaryRules, likely: readonly HttpMatch[] | undefined): HttpMatch[] | undefined {
  const header = rules['canary-by-header'];
  const cookie = rules['canary-by-cookie'];
  if (!header && !cookie) return undefined;
  const asked = askedMatch<object>(likely, withoutEmpty(rules), renderMatch);
  if (asked) return asked;
  const match: HttpMatch[] = [];
  if (header) {
    const [value, pattern] = [rules['canary-by-header-value'], rules['canary-by-header-pattern']];
    // A header without a value or pattern must have the value `always`.
    match.push({ headers: { [header]: value ? { exact: value } : pattern ? { regex: pattern } : { exact: 'always' } } });
  }
  if (cookie) match.push({ headers: { cookie: { exact: cookie } } });
  return match;
}

const withoutEmpty = (rules: CanaryRules): Labels => Object.fromEntries(Object.entries(rules).filter(([, value]) => value));
