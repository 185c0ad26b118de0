import { isDeepStrictEqual } from 'node:util';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { type HttpMatch, type Routes, type UnreadableRoutes, Weight } from '../../api/routes.ts';
import type { StringMatch } from '../../api/string-match.ts';
import { askedMatch } from '../asked-match.ts';
import { escapeRegex, textOfPattern } from '../regex-text.ts';
import { ALL, readAs, readWeights } from '../weights.ts';
import { expressibleConditions, mergeConditions } from './conditions.ts';

type FoundTextCondition = Partial<Record<'name' | 'exact' | 'prefix' | 'suffix' | 'regex' | 'contains', string>> & { present?: boolean };
type FoundCondition = Partial<Record<'prefix' | 'exact' | 'regex', string>> &
  Partial<Record<'header' | 'queryParameter', FoundTextCondition>>;
/** The fields that are read of a foreign route; all else is ignored. */
interface HttpProxyRoute {
  conditions?: FoundCondition[];
  services?: { name?: string; weight?: number; mirror?: boolean }[];
}

/** The routes of an HTTPProxy that we or Flagger wrote. */
export function readHttpProxy(canary: Canary, proxy: KubeObject): Routes | UnreadableRoutes {
  const { primaryService, canaryService } = names(canary);
  const where = `HTTPProxy ${proxy.metadata.name}`;
  const routes = specOf<{ routes: HttpProxyRoute[] }>(proxy).routes ?? [];
  const shares = routes.map((route) => shareOf(canary, route));
  const [first] = shares;
  if (first === undefined || shares.includes(undefined))
    return { unreadable: `${where} does not route to ${primaryService} and ${canaryService} with weights that sum to 100` };
  if (routes.some(copyOf)) return readMirror(routes.map(copyOf), shares, where);
  // Where an A/B condition holds, Flagger repeats both sides in the route of all other requests.
  const namesCanary = routes.map(({ services = [] }) => services.some(({ name }) => name === canaryService));
  const rest = routes.findIndex((_, index) => !namesCanary[index] || shares[index] !== first);
  const segment = rest === -1 ? routes : routes.slice(0, rest);
  if (shares.slice(segment.length).some((share) => share !== 0)) return { unreadable: `the routes of ${where} do not agree on one weight` };
  if (segment.length === 0) return { unreadable: `${where} does not name ${canaryService}` };
  const match = matchOf(canary, segment, rest === -1 ? [] : routes.slice(rest));
  if (match === 'unclear') return { unreadable: `the condition of ${where} for its canary matches every request, or cannot be read` };
  return readAs(first, match);
}

/** Percent of the canary; undefined where the weights are not whole or do not sum to 100. A missing weight is 0, an only service takes all. */
function shareOf(canary: Canary, { services = [] }: HttpProxyRoute): Weight | undefined {
  const { primaryService, canaryService } = names(canary);
  const answering = services.filter(({ mirror }) => !mirror);
  if (answering.some(({ name }) => name !== primaryService && name !== canaryService)) return undefined;
  const weightOf = (service: string): number =>
    answering.filter(({ name }) => name === service).reduce((sum, { weight = 0 }) => sum + (answering.length === 1 ? ALL : weight), 0);
  return readWeights({ primary: weightOf(primaryService), canary: weightOf(canaryService) });
}

/** Percent of a route's requests that are copied to the canary; Contour takes 0 for 100. */
function copyOf({ services = [] }: HttpProxyRoute): number | undefined {
  const mirror = services.find((service) => service.mirror);
  return mirror && (mirror.weight || 100);
}

function readMirror(
  copies: readonly (number | undefined)[],
  shares: readonly (number | undefined)[],
  where: string,
): Routes | UnreadableRoutes {
  const share = Weight.safeParse(copies[0]);
  if (!share.success || copies.some((copy) => copy !== copies[0]) || shares.some((one) => one !== 0))
    return { unreadable: `${where} mirrors to a canary that also has weight, or not on all of its routes alike` };
  return { kind: 'mirrored', share: share.data };
}

/** `undefined` for all requests; 'unclear' for only some, if no condition says which. */
function matchOf(canary: Canary, segment: readonly HttpProxyRoute[], rest: readonly HttpProxyRoute[]): HttpMatch[] | 'unclear' | undefined {
  const found = segment.map(({ conditions }) => single(conditions));
  const service = expressibleConditions(canary.spec.service.match);
  const asked = askedMatch(canary.spec.analysis.match, found as readonly (readonly FoundCondition[])[], (match) =>
    mergeConditions(match, service),
  );
  if (asked) return asked;
  const [others] = rest;
  if (!others) return undefined;
  // Each entry is listed once for every route of `service.match`; read the first.
  const base = single(others.conditions);
  const entries = found.filter((_, index) => index % rest.length === 0).map((conditions) => entryOf(conditions, base));
  const said = entries.flatMap((entry) => (entry && Object.keys(entry).length > 0 ? [entry] : []));
  return said.length === entries.length ? said : 'unclear';
}

/** One condition an entry; Flagger puts path and header into one. */
function single(conditions: readonly FoundCondition[] = []): FoundCondition[] {
  return conditions.flatMap((condition) => Object.entries(condition).map(([field, value]): FoundCondition => ({ [field]: value })));
}

/** `undefined` if an A/B condition cannot express a condition. */
function entryOf(conditions: readonly FoundCondition[], base: readonly FoundCondition[]): HttpMatch | undefined {
  const entry: HttpMatch = {};
  for (const condition of conditions) {
    if (base.some((known) => isDeepStrictEqual(known, condition))) continue;
    const kind = condition.header ? 'headers' : 'queryParams';
    const text = condition.header ?? condition.queryParameter;
    const read = text && stringMatch(text);
    if (!text?.name || !read) return undefined;
    entry[kind] = { ...entry[kind], [text.name]: read };
  }
  return entry;
}

function stringMatch({ exact, prefix, suffix, regex, contains, present }: FoundTextCondition): StringMatch | undefined {
  if (exact) return { exact };
  if (prefix) return { prefix };
  if (suffix) return { suffix };
  if (contains) return { regex: `.*${escapeRegex(contains)}.*` };
  if (present) return { prefix: '' };
  return regex ? textOfPattern(regex) : undefined;
}
