import { INTRODUCTION } from '../../../src/routers/introduction.ts';
import type { Difference } from './compare.ts';
import type { Claim } from './judge.ts';

type Json = unknown;
type Edit = (value: Record<string, Json>, key: string | undefined) => Json;

const canonical = (value: Json): string | undefined => JSON.stringify(sorted(value));
const sorted = (value: Json): Json => walk(value, (each) => Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))));

/** Rebuilds every record in a value, the inner ones first; an undefined entry of a list is left out. */
function walk(value: Json, edit: Edit, key?: string): Json {
  if (Array.isArray(value)) return value.map((each) => walk(each, edit, key)).filter((each) => each !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  return edit(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, walk(each, edit, name)])), key);
}

/** States of an object in a row that are one after an edit. */
function distinctStates(states: Json): Json[] {
  const all = Array.isArray(states) ? states : [];
  return all.filter((state, index) => index === 0 || canonical(state) !== canonical(all[index - 1]));
}

const isEqualAfter = ({ flagger, serin }: Difference, edit: Edit): boolean =>
  flagger !== undefined &&
  serin !== undefined &&
  canonical(distinctStates(walk(flagger, edit))) === canonical(distinctStates(walk(serin, edit)));

const without =
  (names: readonly string[]): Edit =>
  (each) =>
    Object.fromEntries(Object.entries(each).filter(([name]) => !names.includes(name)));

/** Removes the paths of an Ingress that lead to another Service. */
const ownPaths: Edit = (each, key) => {
  const service = (each.backend as { service?: { name?: string } } | undefined)?.service?.name;
  return key === 'paths' && service !== undefined && !service.startsWith('APP') ? undefined : each;
};

/** nginx takes an empty annotation for none. */
const withoutEmptyAnnotations: Edit = (each, key) =>
  key === 'annotations' ? Object.fromEntries(Object.entries(each).filter(([, value]) => value !== '')) : ownPaths(each, key);

/** Skipper's Ingress before it is put out of the way. */
const outOfTheWay: Edit = (each, key) => (key === 'annotations' ? { ...each, 'zalando.org/skipper-predicate': '' } : ownPaths(each, key));

/** The states in which the canary has traffic are the same; in every other state all traffic goes to the primary. */
function differsOnlyIdle({ flagger, serin }: Difference): boolean {
  const states = (value: Json) =>
    distinctStates(distinctStates(walk(value, withoutLoneWeight)).map((state) => (isIdle(state) ? 'idle' : state)));
  return flagger !== undefined && serin !== undefined && canonical(states(flagger)) === canonical(states(serin));
}

/** The weight of a destination that has no other beside it means nothing (DF108). */
const withoutLoneWeight: Edit = (each) => {
  const alone = (list: Json) => (Array.isArray(list) && list.length === 1 ? list.map((one) => ({ ...one, weight: undefined })) : list);
  return {
    ...each,
    ...(each.route ? { route: alone(each.route) } : {}),
    ...(each.backendRefs ? { backendRefs: alone(each.backendRefs) } : {}),
  };
};

/** True for a state without a share for the canary, and with a primary. */
function isIdle(state: Json): boolean {
  let hasShare = false;
  walk(state, (each) => {
    hasShare ||= JSON.stringify(each.destination ?? each.name ?? '').includes('APP-canary') && Number(each.weight ?? 0) > 0;
    return each;
  });
  return !hasShare && JSON.stringify(state).includes('APP-primary');
}

const isObject = ({ aspect }: Difference, kind: string): boolean => aspect.startsWith(`object ${kind}/`);

/** States in which a route for no request makes Services known to proxies (DF650). */
const withoutIntroductions = (states: readonly Json[]): Json[] => states.filter((state) => !JSON.stringify(state).includes(INTRODUCTION));

/** Removes the conditions that separate requests of the mesh from requests of a gateway. */
const withoutMeshPorts: Edit = (each) => {
  const { match } = each as { match?: { gateways?: string[] }[] };
  return match?.every(({ gateways }) => gateways) ? { ...each, match: undefined } : each;
};

export const routeClaims: readonly Claim[] = [
  {
    id: 'DF633',
    explains: (one) =>
      one.scenario.routing === 'ports-beside-mesh' && isObject(one, 'VirtualService') && isEqualAfter(one, withoutMeshPorts),
  },
  { id: 'DF86', explains: (one) => one.scenario.provider === 'nginx' && isObject(one, 'Ingress') && isEqualAfter(one, ownPaths) },
  {
    id: 'DF90',
    explains: (one) => one.scenario.provider === 'nginx' && isObject(one, 'Ingress') && isEqualAfter(one, withoutEmptyAnnotations),
  },
  { id: 'DF93', explains: (one) => one.scenario.provider === 'skipper' && isObject(one, 'Ingress') && isEqualAfter(one, outOfTheWay) },
  { id: 'DF97', explains: (one) => isObject(one, 'ApisixRoute') && isEqualAfter(one, without(['ingressClassName', 'websocket'])) },
  {
    id: 'DF504',
    explains: (one) =>
      one.scenario.strategy === 'ab' && (isObject(one, 'VirtualService') || isObject(one, 'HTTPRoute')) && differsOnlyIdle(one),
  },
  {
    id: 'DF650',
    explains: (one) =>
      (isObject(one, 'HTTPProxy') || isObject(one, 'HTTPRoute')) &&
      one.serin !== undefined &&
      canonical(one.flagger) === canonical(withoutIntroductions(distinctStates(one.serin))),
  },
  // The HTTPProxy belongs to the user: Serin writes only its backends, in the same steps.
  { id: 'DF141', explains: (one) => isObject(one, 'HTTPProxy') && hasSameShares(one) },
  {
    id: 'DF67',
    explains: (one) =>
      one.scenario.scaler === 'hpa' && isObject(one, 'HorizontalPodAutoscaler') && isEqualAfter(one, without(['minReplicas'])),
  },
  { id: 'DF68', explains: (one) => one.scenario.scaler === 'hpa' && one.aspect.startsWith('object ') && returnsInSteps(one) },
  {
    id: 'DF15',
    explains: (one) => one.scenario.pods === 'lost' && one.aspect.startsWith('object ') && !isObject(one, 'Service') && differsByDips(one),
  },
];

interface ProxyRoute {
  conditions?: { prefix?: string }[];
  services?: { name: string; weight?: number; mirror?: boolean }[];
}

/** Shares of the Services, by condition. Services without weights share evenly. */
function sharesOf(states: Json): Json[] {
  const found = withoutIntroductions(distinctStates(states)) as ({ spec?: { routes?: ProxyRoute[] } } | undefined)[];
  return distinctStates(
    found.map((state) =>
      (state?.spec?.routes ?? []).map(({ conditions = [], services = [] }) => {
        const counted = services.filter(({ mirror }) => !mirror);
        const total = counted.reduce((sum, { weight = 0 }) => sum + weight, 0);
        const shares = counted.map(({ name, weight = 0 }) => [name, total === 0 ? 1 / counted.length : weight / total] as const);
        const mirrors = services.filter(({ mirror }) => mirror).map(({ name, weight }) => [name, weight]);
        return {
          conditions: conditions
            .filter(({ prefix }) => prefix !== '/')
            .map(canonical)
            .toSorted(),
          shares: shares.filter(([, share]) => share > 0),
          mirrors,
        };
      }),
    ),
  );
}

const hasSameShares = ({ flagger, serin }: Difference): boolean =>
  flagger !== undefined && serin !== undefined && canonical(sharesOf(flagger)) === canonical(sharesOf(serin));

/** Removes the differences of an object that other rows explain. */
const tolerated: Edit = (each, key) => {
  const edited = (key === 'annotations' ? outOfTheWay(each, key) : ownPaths(each, key)) as Record<string, Json> | undefined;
  return edited && withoutEmptyAnnotations(without(['ingressClassName', 'websocket'])(edited, key) as Record<string, Json>, key);
};
const toleratedStates = (value: Json) => withoutIntroductions(distinctStates(walk(value, tolerated))).map(canonical);

/** The canary's share went and came back. */
function differsByDips({ flagger, serin }: Difference): boolean {
  return (
    flagger !== undefined && serin !== undefined && canonical(toleratedStates(flagger)) === canonical(withoutDips(toleratedStates(serin)))
  );
}

/** True for the same states, with further states before the last one in which a part of the traffic has returned. */
function returnsInSteps({ flagger, serin }: Difference): boolean {
  const [before, after] = [toleratedStates(flagger), toleratedStates(serin)];
  if (after.length <= before.length || before.at(-1) !== after.at(-1)) return false;
  return canonical(before.slice(0, -1)) === canonical(after.slice(0, before.length - 1));
}

/** Removes each state that reverts at once to the earlier state, or value: 0, 50, 0, 50, 0 becomes 0, 50, 0. */
export function withoutDips<T>(states: readonly T[]): T[] {
  const kept: T[] = [];
  for (const state of states) {
    const [before, dip] = kept.slice(-2);
    if (kept.length > 2 && before === state && kept.slice(0, -2).includes(dip as T)) kept.pop();
    else kept.push(state);
  }
  return kept;
}
