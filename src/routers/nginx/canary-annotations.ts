import { isDeepStrictEqual } from 'node:util';
import type { Labels } from '../../api/kube-object.ts';
import type { HttpMatch } from '../../api/routes.ts';
import type { StringMatch } from '../../api/string-match.ts';
import { checkRegex } from '../checked-regex.ts';
import { escapeRegex } from '../regex-text.ts';
import { RoutingError } from '../routing-error.ts';

/** The annotations of ingress-nginx that decide about a canary, without their prefix; values that are absent or empty say nothing. */
export interface CanaryRules {
  'canary-by-header'?: string;
  'canary-by-header-value'?: string;
  'canary-by-header-pattern'?: string;
  'canary-by-cookie'?: string;
}

/** What ingress-nginx accepts in values, in patterns and in names; with anything else it drops the annotation. Source: its annotation parser. */
const PLAIN = /^[-/._~a-zA-Z0-9: ]+$/;
const PATTERN = /^[-/._~a-zA-Z0-9:^$[\](){}*+?|&=\\]+$/;
const NAME = /^[-._~a-zA-Z0-9]+$/;
const ELSEWHERE = 'istio and gatewayapi:v1 can';

/**
 * A condition as ingress-nginx can hold it: one header, or one cookie whose value is `always`, or either of both. More headers would have
 * to hold together, which it cannot say; writing one of them would let the wrong users in (04 R-T2).
 */
export function renderMatch(match: readonly HttpMatch[]): CanaryRules {
  const rules: CanaryRules = {};
  for (const [index, entry] of match.entries()) {
    const field = `analysis.match[${index}]`;
    const [name, condition] = onlyHeader(entry, field);
    const rule = ruleOf(name, condition, `${field}.headers.${name}`);
    const taken = Object.keys(rule).find((key) => key in rules);
    if (taken !== undefined)
      throw new RoutingError(`${field} would be a second ${taken}, and an Ingress holds one header and one cookie; ${ELSEWHERE}`);
    Object.assign(rules, rule);
  }
  if (Object.keys(rules).length === 0) throw new RoutingError('analysis.match has no entry: it would match every request');
  return rules;
}

function onlyHeader(entry: HttpMatch, field: string): [string, StringMatch] {
  for (const other of ['queryParams', 'sourceLabels'] as const) {
    if (Object.keys(entry[other] ?? {}).length > 0)
      throw new RoutingError(`${field}.${other} cannot be expressed by ingress-nginx: match on a header; ${ELSEWHERE}`);
  }
  const headers = Object.entries(entry.headers ?? {});
  const [only] = headers;
  if (!only) throw new RoutingError(`${field} names no header: it would match every request`);
  if (headers.length > 1)
    throw new RoutingError(`${field} has ${headers.length} headers, which ingress-nginx cannot ask for together: keep one; ${ELSEWHERE}`);
  return only;
}

/** A cookie is named by `exact`, and is asked for the value `always`, as established (04 V14); other forms look at the Cookie header. */
function ruleOf(name: string, condition: StringMatch, field: string): CanaryRules {
  if (!NAME.test(name)) throw new RoutingError(`${field} has a name that ingress-nginx does not accept: use letters, digits and -`);
  if (name.toLowerCase() === 'cookie' && 'exact' in condition) {
    if (!NAME.test(condition.exact))
      throw new RoutingError(
        `${field}.exact must be the name of a cookie, which is asked for the value always; for other values use regex`,
      );
    return { 'canary-by-cookie': condition.exact };
  }
  if ('exact' in condition && PLAIN.test(condition.exact) && condition.exact === condition.exact.trim())
    return { 'canary-by-header': name, 'canary-by-header-value': condition.exact };
  checkRegex(condition, field, 'PCRE');
  const pattern = patternOf(condition);
  if (!PATTERN.test(pattern))
    throw new RoutingError(`${field} has characters that ingress-nginx does not accept in a value or pattern; ${ELSEWHERE}`);
  return { 'canary-by-header': name, 'canary-by-header-pattern': pattern };
}

/** ingress-nginx searches for the pattern in the value; a regex of the user's means that, as established. */
function patternOf(condition: StringMatch): string {
  if ('exact' in condition) return `^${escapeRegex(condition.exact)}$`;
  if ('prefix' in condition) return `^${escapeRegex(condition.prefix)}`;
  if ('suffix' in condition) return `${escapeRegex(condition.suffix)}$`;
  return condition.regex;
}

/** The reverse of `renderMatch`; `likely` tells forms of a condition apart that are written alike. Undefined: no condition at all. */
export function readMatch(rules: CanaryRules, likely: readonly HttpMatch[] | undefined): HttpMatch[] | undefined {
  const header = rules['canary-by-header'];
  const cookie = rules['canary-by-cookie'];
  if (!header && !cookie) return undefined;
  if (likely?.length && isRenderingOf(rules, likely)) return structuredClone([...likely]);
  const match: HttpMatch[] = [];
  if (header) {
    const [value, pattern] = [rules['canary-by-header-value'], rules['canary-by-header-pattern']];
    // A header alone asks for the value `always`.
    match.push({ headers: { [header]: value ? { exact: value } : pattern ? { regex: pattern } : { exact: 'always' } } });
  }
  if (cookie) match.push({ headers: { cookie: { exact: cookie } } });
  return match;
}

function isRenderingOf(rules: CanaryRules, match: readonly HttpMatch[]): boolean {
  try {
    return isDeepStrictEqual(renderMatch(match), withoutEmpty(rules));
  } catch (error) {
    if (error instanceof RoutingError) return false;
    throw error;
  }
}

const withoutEmpty = (rules: CanaryRules): Labels => Object.fromEntries(Object.entries(rules).filter(([, value]) => value));
