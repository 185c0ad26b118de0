import type { HttpMatch } from '../../api/routes.ts';
import { StringMatch } from '../../api/string-match.ts';
import { RoutingError, refuseConditions } from '../routing-error.ts';

/** Bounds of the published definitions: entries of a list, characters of a name and of a text. */
const MOST = { headers: 10, name: 50, text: 255 } as const;

interface HeaderMatch {
  name: string;
  match: StringMatch;
}

/** One entry of `analysis.match` as App Mesh's header conditions, all of which must hold. Nothing else can be expressed there. */
export function renderHeaders(entry: HttpMatch, index: number): HeaderMatch[] {
  const field = `analysis.match[${index}]`;
  refuseConditions(entry, ['queryParams', 'sourceLabels'], field, 'cannot be expressed in App Mesh: match on headers');
  const headers = Object.entries(entry.headers ?? {}).map(([name, match]) => ({ name, match: { ...match } }));
  if (headers.length === 0) throw RoutingError.at(field, 'names no header: it would match every request');
  if (headers.length > MOST.headers) throw RoutingError.at(field, `names ${headers.length} headers: App Mesh takes ${MOST.headers}`);
  for (const { name, match } of headers) {
    const [text = ''] = Object.values(match);
    if (name.length > MOST.name) throw RoutingError.at(`${field}.headers`, `has a name of more than ${MOST.name} characters`);
    if (text.length < 1 || text.length > MOST.text)
      throw RoutingError.at(`${field}.headers.${name}`, `needs a text of 1 to ${MOST.text} characters in App Mesh`);
  }
  return headers.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The reverse; `undefined` if a condition is not ours. */
export function readHeaders(headers: readonly unknown[]): HttpMatch | undefined {
  const read: Record<string, StringMatch> = {};
  for (const header of headers) {
    const { name, match, invert } = (header ?? {}) as { name?: unknown; match?: unknown; invert?: unknown };
    const condition = StringMatch.safeParse(match);
    if (typeof name !== 'string' || !condition.success || invert === true || name in read) return undefined;
    read[name] = condition.data;
  }
  return { headers: read };
}
