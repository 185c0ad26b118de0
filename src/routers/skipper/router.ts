import type { Canary } from '../../api/canary.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { factsOf } from '../../api/providers.ts';
import type { Routes } from '../../api/routes.ts';
import { findObject } from '../find-object.ts';
import { copiedMetadata } from '../ingress/copied-metadata.ts';
import { copyRefs, copySpec, missingSource, nothingToCopy, refusesName } from '../ingress/copy.ts';
import { type IngressPath, type IngressRule, leadingTo, leadsTo, rulesFor, rulesOf, serviceOf } from '../ingress/ingress-rules.ts';
import { needsObject } from '../needs-object.ts';
import type { Change, Router } from '../router.ts';
import { RoutingError, rejectionOf } from '../routing-error.ts';
import { ALL, canaryWeight, matchOf, primaryWeight, readAs, readWeights } from '../weights.ts';
import { FIRST, foreignPredicates, NEVER, readMatch, renderMatch, splitPredicates } from './predicates.ts';

const WEIGHTS = 'zalando.org/backend-weights';
const PREDICATE = 'zalando.org/skipper-predicate';
const isOurs = (annotation: string) => annotation === WEIGHTS || annotation === PREDICATE;

/** Skipper: a second Ingress of the same hosts and paths, which goes before the user's while the canary has a share (04-4.10). */
export const skipper: Router = {
  supports: factsOf('skipper').can,
  refuses(canary) {
    const { match } = canary.spec.analysis;
    return refusesName(canary) ?? (match?.length ? rejectionOf(() => renderMatch(match)) : undefined);
  },
  watches: (canary) => Object.values(copyRefs(canary)),
  render: (canary, _apex, routes, current) => render(canary, routes, current),
  missing: missingSource,
  readRoutes(canary, current) {
    const { sourceRef, copyRef } = copyRefs(canary);
    const copy = copyRef && findObject(current, copyRef);
    return copy && readCopy(canary, copy, sourceRef && findObject(current, sourceRef));
  },
  finalize(canary, current) {
    const { copyRef } = copyRefs(canary);
    return { write: [], remove: copyRef && findObject(current, copyRef) ? [copyRef] : [] };
  },
};

function render(canary: Canary, routes: Routes, current: readonly KubeObject[]): Change {
  const { share, match } = sharesOf(routes);
  const { sourceRef, copyRef } = copyRefs(canary);
  const source = sourceRef && findObject(current, sourceRef);
  const copy = copyRef && findObject(current, copyRef);
  const derived = source ? bothSides(canary, source) : [];
  const base = source && derived.length > 0 ? source : copy;
  if (!base || !copyRef) {
    if (needsObject(canary, routes)) throw nothingToCopy(canary, source);
    return { write: [], remove: [] };
  }
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

/** A condition stands on the copy alone: who does not meet it stays with the user's Ingress, and so with the primary. */
function sharesOf(routes: Routes): { share: number; match: string[] } {
  if (routes.kind === 'mirrored')
    throw new RoutingError(
      'Skipper mirrors by filters, not by this route: set analysis.mirror to false; istio and gatewayapi:v1 can',
      'analysis.mirror',
    );
  const match = matchOf(routes);
  return { share: canaryWeight(routes), match: match ? renderMatch(match) : [] };
}

/** Each path of the application twice, to the primary and to the canary: their weights stand in an annotation. */
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

function readCopy(canary: Canary, copy: KubeObject, source: KubeObject | undefined): Routes | { unreadable: string } {
  const where = `Ingress ${copy.metadata.name}`;
  const live = copy.metadata.annotations ?? {};
  const { primaryService, canaryService } = names(canary);
  if (!leadsTo(copy, canaryService) || !leadsTo(copy, primaryService))
    return { unreadable: `the paths of ${where} do not lead to both ${primaryService} and ${canaryService}` };
  const weights = weightsOf(live[WEIGHTS]);
  const share = readWeights({ primary: weights?.[primaryService], canary: weights?.[canaryService] });
  if (share === undefined) return { unreadable: `${WEIGHTS} of ${where} has no whole weights for both sides that sum to ${ALL}` };
  const predicates = splitPredicates(live[PREDICATE] ?? '');
  if (predicates.includes(NEVER) && share > 0) return { unreadable: `${PREDICATE} of ${where} takes out what has a share` };
  const own = foreignPredicates(source?.metadata.annotations?.[PREDICATE]);
  const conditions = predicates.filter((predicate) => predicate !== FIRST && predicate !== NEVER);
  const match = readMatch(conditions, own, canary.spec.analysis.match);
  if (match && 'unreadable' in match) return { unreadable: `${match.unreadable} in ${PREDICATE} of ${where}` };
  return readAs(share, match);
}

function weightsOf(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const found: unknown = JSON.parse(text ?? '');
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
