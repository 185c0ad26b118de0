import type { Canary } from '../../api/canary.ts';
import type { IngressPath, IngressRule } from '../../api/kinds/ingress.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Routes } from '../../api/routes.ts';
import { foundOf, nothingRendered } from '../copied-object.ts';
import { copiedMetadata } from '../ingress/copied-metadata.ts';
import { copyRefs, copySpec, nothingToCopy } from '../ingress/copy.ts';
import { leadingTo, rulesFor, rulesOf, serviceOf } from '../ingress/ingress-rules.ts';
import type { RouteChange } from '../router.ts';
import { RoutingError } from '../routing-error.ts';
import { canaryWeight, matchOf, primaryWeight } from '../weights.ts';
import { FIRST, foreignPredicates, NEVER, renderMatch } from './predicates.ts';

/** Annotation: JSON of the weight by name of Service. */
export const WEIGHTS = 'zalando.org/backend-weights';

/** Annotation: predicates of every route of the Ingress, joined by ` && `. */
export const PREDICATE = 'zalando.org/skipper-predicate';

const isOurs = (annotation: string) => annotation === WEIGHTS || annotation === PREDICATE;

export function render(canary: Canary, routes: Routes, current: readonly KubeObject[]): RouteChange {
  const { share, match } = sharesOf(routes);
  const { copyRef } = copyRefs(canary);
  const { source, copy } = foundOf(copyRefs(canary), current);
  const derived = source ? bothSides(canary, source) : [];
  const base = source && derived.length > 0 ? source : copy;
  if (!base || !copyRef) return nothingRendered(canary, routes, nothingToCopy(canary, source));
  if (source && share > 0) refuseShared(canary, source);
  const { primaryService, canaryService } = names(canary);
  const { labels, annotations } = copiedMetadata(base, isOurs);
  const own = source ? foreignPredicates(source.metadata.annotations?.[PREDICATE]) : [];
  const predicates = [share > 0 ? FIRST : NEVER, ...match, ...own];
  const ours: Labels = {
    [WEIGHTS]: JSON.stringify({ [canaryService]: share, [primaryService]: primaryWeight(share) }),
    [PREDICATE]: predicates.join(' && '),
  };
  const { apiVersion, kind, name } = copyRef;
  const metadata = { name, namespace: canary.metadata.namespace, labels, annotations: { ...annotations, ...ours } };
  return { write: [{ apiVersion, kind, metadata, spec: copySpec(base, base === source ? derived : rulesOf(base)) }], remove: [] };
}

/** Only the copy has the condition: a client that does not meet it stays with the user's Ingress, and so with the primary. */
function sharesOf(routes: Routes): { share: number; match: string[] } {
  if (routes.kind === 'mirrored')
    throw new RoutingError(
      'Skipper mirrors by filters, not by this route: set analysis.mirror to false; istio and gatewayapi:v1 can',
      'analysis.mirror',
    );
  const match = matchOf(routes);
  return { share: canaryWeight(routes), match: match ? renderMatch(match) : [] };
}

/** Each path of the application twice, to the primary and to the canary: an annotation has their weights. */
function bothSides(canary: Canary, source: KubeObject): IngressRule[] {
  const { apexService, primaryService, canaryService } = names(canary);
  return rulesFor(source, apexService, (path) => [leadingTo(path, primaryService), leadingTo(path, canaryService)]);
}

/** Going first, the copy would take the share of another Service that the user has put on the same path. */
function refuseShared(canary: Canary, source: KubeObject): void {
  const { apexService } = names(canary);
  for (const rule of rulesOf(source)) {
    const paths = rule.http?.paths ?? [];
    const keyOf = ({ path, pathType }: IngressPath) => JSON.stringify([path, pathType]);
    const own = new Set(paths.filter((path) => serviceOf(path) === apexService).map(keyOf));
    const shared = paths.find((path) => serviceOf(path) !== apexService && own.has(keyOf(path)));
    if (shared)
      throw new RoutingError(
        `Ingress ${source.metadata.name} shares path ${shared.path ?? '/'} between ${apexService} and another Service: give them paths of their own`,
      );
  }
}
