import { isDeepStrictEqual } from 'node:util';
import type { IstioText, VirtualServiceMatch } from './http-match.ts';

/** Fields of a rule that a delegate's takes over, unless it has one of its own. */
const INHERITED = [
  'rewrite',
  'timeout',
  'retries',
  'mirror',
  'mirrorPercent',
  'mirrorPercentage',
  'corsPolicy',
  'mirrors',
  'headers',
] as const;

interface Rule extends Partial<Record<(typeof INHERITED)[number], unknown>> {
  match?: VirtualServiceMatch[];
}

/**
 * The rules of a delegate below that of the root; a rule whose conditions contradict the root's is left out. Source: Istio, pilot/pkg/model/virtualservice.go
 * MergeHTTPRoutes.
 */
export function rulesBelow<R extends Rule>(root: R, delegate: readonly R[]): R[] {
  return delegate.flatMap((rule) => {
    const match = mergedMatch(root.match ?? [], rule.match ?? []);
    if (!match) return [];
    const inherited = INHERITED.filter((field) => rule[field] === undefined && root[field] !== undefined);
    return { ...rule, ...Object.fromEntries(inherited.map((field) => [field, root[field]])), match };
  });
}

/** `undefined` if one of the delegate's alternatives fits none of the root's. */
function mergedMatch(root: readonly VirtualServiceMatch[], delegate: readonly VirtualServiceMatch[]): VirtualServiceMatch[] | undefined {
  if (root.length === 0) return [...delegate];
  if (delegate.length === 0) return [...root];
  const merged = delegate.map((leaf) => root.filter((one) => !isAtOdds(one, leaf)).map((one) => join(one, leaf)));
  return merged.every((some) => some.length > 0) ? merged.flat() : undefined;
}

function join(root: VirtualServiceMatch, leaf: VirtualServiceMatch): VirtualServiceMatch {
  const maps = ['headers', 'withoutHeaders', 'queryParams', 'sourceLabels'] as const;
  const gateways = leaf.gateways?.length ? leaf.gateways : root.gateways;
  return {
    ...root,
    ...leaf,
    ...Object.fromEntries(maps.map((map) => [map, { ...root[map], ...leaf[map] }])),
    ...(gateways && { gateways }),
  };
}

function isAtOdds(root: VirtualServiceMatch, leaf: VirtualServiceMatch): boolean {
  const texts = (['uri', 'scheme', 'method', 'authority'] as const).map((field) => [root[field], leaf[field]] as const);
  const maps = (['headers', 'withoutHeaders', 'queryParams'] as const).flatMap((map) =>
    Object.entries(leaf[map] ?? {}).map(([key, condition]) => [root[map]?.[key], condition] as const),
  );
  const labels = Object.entries(leaf.sourceLabels ?? {});
  return (
    [...texts, ...maps].some(([above, below]) => above !== undefined && below !== undefined && !isWithin(above, below)) ||
    (root.ignoreUriCase ?? false) !== (leaf.ignoreUriCase ?? false) ||
    (root.port !== undefined && leaf.port !== undefined && root.port !== leaf.port) ||
    (root.sourceNamespace !== undefined && root.sourceNamespace !== leaf.sourceNamespace) ||
    labels.some(([key, value]) => (root.sourceLabels?.[key] ?? value) !== value) ||
    (root.gateways !== undefined && !(leaf.gateways ?? []).every((gateway) => root.gateways?.includes(gateway)))
  );
}

/** Tests as much as Istio sees: a regular expression is within no other. */
function isWithin(root: IstioText, leaf: IstioText): boolean {
  if (root.regex !== undefined || leaf.regex !== undefined) return false;
  if (root.exact !== undefined) return isDeepStrictEqual(root, leaf);
  return (leaf.prefix ?? leaf.exact)?.startsWith(root.prefix ?? '') ?? false;
}
