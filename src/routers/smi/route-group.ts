import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import type { HttpMatch } from '../../api/routes.ts';
import type { StringMatch } from '../../api/string-match.ts';
import { escapeRegex, textOfPattern } from '../regex-text.ts';
import { RoutingError, refuseConditions } from '../routing-error.ts';

/** The A/B condition as an HTTPRouteGroup. Only headers can be expressed there; anything else would be dropped in silence. */
export function renderRouteGroup(ref: ObjectRef, match: readonly HttpMatch[]): KubeObject {
  return {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name: ref.name, ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }) },
    spec: { matches: match.map((entry, index) => ({ name: `ab-${index}`, headers: headersOf(entry, index) })) },
  };
}

/** Tests if we rendered a group's spec: a foreign group can have the same name. */
export function isOurGroup(spec: object): boolean {
  const matches: unknown = 'matches' in spec ? spec.matches : undefined;
  return Array.isArray(matches) && matches.length > 0 && matches.every((match, index) => match?.name === `ab-${index}`);
}

function headersOf(entry: HttpMatch, index: number): Record<string, string> {
  const field = `analysis.match[${index}]`;
  refuseConditions(entry, ['queryParams', 'sourceLabels'], field, 'cannot be expressed in SMI: match on headers');
  const headers = Object.entries(entry.headers ?? {});
  if (headers.length === 0) throw RoutingError.at(field, 'names no header: it would match every request');
  return Object.fromEntries(headers.map(([name, condition]) => [name, toPattern(condition)]));
}

/** Anchored at both ends, so that proxies that search and proxies that compare whole values agree. */
function toPattern(condition: StringMatch): string {
  if ('exact' in condition) return `^${escapeRegex(condition.exact)}$`;
  if ('prefix' in condition) return `^${escapeRegex(condition.prefix)}.*$`;
  if ('suffix' in condition) return `^.*${escapeRegex(condition.suffix)}$`;
  return `^(?:${condition.regex})$`;
}

function fromPattern(pattern: string): StringMatch {
  const body = /^\^(.*)\$$/s.exec(pattern)?.[1];
  if (body === undefined) return { regex: pattern };
  const text = textOfPattern(body);
  if (!('regex' in text)) return text;
  return { regex: /^\(\?:(.*)\)$/s.exec(body)?.[1] ?? pattern };
}

/** The condition of an HTTPRouteGroup; unreadable if it has conditions on more than headers. */
export function readRouteGroup(group: KubeObject): { match: HttpMatch[] } | { unreadable: string } {
  const found: unknown = specOf<{ matches: unknown }>(group).matches;
  const where = `HTTPRouteGroup ${group.metadata.name}`;
  if (!Array.isArray(found) || found.length === 0) return { unreadable: `${where} has no matches` };
  const match: HttpMatch[] = [];
  for (const entry of found) {
    if (entry?.pathRegex !== undefined || entry?.methods !== undefined) return { unreadable: `${where} matches on more than headers` };
    // One published schema has a map, another a list of maps; both mean that all must hold.
    const headers: Record<string, unknown> = Array.isArray(entry?.headers) ? Object.assign({}, ...entry.headers) : (entry?.headers ?? {});
    if (Object.keys(headers).length === 0) return { unreadable: `${where} has a match without headers` };
    match.push({ headers: Object.fromEntries(Object.entries(headers).map(([name, pattern]) => [name, fromPattern(String(pattern))])) });
  }
  return { match };
}
