import type { Canary } from '../../api/canary.ts';
import type { Finding } from '../../api/finding.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { factsOf } from '../../api/providers.ts';
import { type Routes, reachesCanary } from '../../api/routes.ts';
import { copyVerbs, foundOf, nothingRendered } from '../copied-object.ts';
import { copiedMetadata } from '../ingress/copied-metadata.ts';
import { copyRefs, copySpec, missingSource, nothingToCopy, refusesName } from '../ingress/copy.ts';
import { leadingTo, rulesFor, rulesOf } from '../ingress/ingress-rules.ts';
import { unkeptIngresses } from '../ingress/unkept.ts';
import type { RouteChange, Router } from '../router.ts';
import { RoutingError, rejectionOf } from '../routing-error.ts';
import { ignoredEntries, renderMatch } from './canary-annotations.ts';
import { BY_RULE, readCopy } from './read.ts';
import { unkeptCanaries } from './unkept.ts';

export const defaultAnnotationsPrefix = 'nginx.ingress.kubernetes.io';

/** ingress-nginx: a second Ingress beside the user's, which it reads as the canary of the same hosts and paths. */
export function nginx(prefix: string = defaultAnnotationsPrefix): Router {
  const key = (name: string) => `${prefix}/${name}`;
  const isCanaryKey = (annotation: string) => annotation === key('canary') || annotation.startsWith(key('canary-'));

  function render(canary: Canary, routes: Routes, current: readonly KubeObject[]): RouteChange {
    const rules = rulesOfRoutes(routes);
    const { copyRef } = copyRefs(canary);
    const { source, copy } = foundOf(copyRefs(canary), current);
    const { apexService, canaryService } = names(canary);
    const derived = source ? rulesFor(source, apexService, (path) => [leadingTo(path, canaryService)]) : [];
    // A copy can be set back to 0 in any state of the user's Ingress, and no further: it has lost its requests (E96).
    const base = source && derived.length > 0 ? source : reachesCanary(routes) ? undefined : copy;
    if (!base || !copyRef) return nothingRendered(canary, routes, nothingToCopy(canary, source));
    const { labels, annotations } = copiedMetadata(base, isCanaryKey);
    const { apiVersion, kind, name } = copyRef;
    const own = { ...withoutAffinity(rules, annotations), ...ours(rules, copy?.metadata.annotations ?? {}) };
    const metadata = { name, namespace: canary.metadata.namespace, labels, annotations: { ...annotations, ...own } };
    return { write: [{ apiVersion, kind, metadata, spec: copySpec(base, base === source ? derived : rulesOf(base)) }], remove: [] };
  }

  /** An apply cannot remove foreign additions to the canary's rules; ingress-nginx ignores empty ones. */
  function ours(rules: Labels, live: Labels): Labels {
    const wanted = Object.fromEntries(Object.entries(rules).map(([name, value]) => [key(name), value]));
    const foreign = Object.keys(live).filter((annotation) => isCanaryKey(annotation) && !(annotation in wanted));
    return { ...wanted, ...Object.fromEntries(foreign.toSorted().map((annotation) => [annotation, ''])) };
  }

  /** Without this a cookie of ingress-nginx's own affinity would keep users on a canary that was rolled back. */
  function withoutAffinity(rules: Labels, annotations: Labels): Labels {
    const isAtRest = rules['canary-weight'] === '0' && BY_RULE.every((name) => !rules[name]);
    return isAtRest && annotations[key('affinity')] ? { [key('affinity-canary-behavior')]: 'legacy' } : {};
  }

  return {
    supports: factsOf('nginx').can,
    refuses,
    ignores,
    unkept: (canary, objects) => [...unkeptIngresses(canary, objects, true), ...unkeptCanaries(canary, objects, key)],
    ...copyVerbs(copyRefs),
    render: (canary, _apex, routes, current) => render(canary, routes, current),
    missing: missingSource,
    readRoutes(canary, current) {
      const { copy } = foundOf(copyRefs(canary), current);
      return copy && readCopy(canary, copy, key);
    },
  };
}

function refuses(canary: Canary): RoutingError | undefined {
  const { match, iterations = 0 } = canary.spec.analysis;
  const longName = refusesName(canary);
  if (longName !== undefined || !match?.length) return longName;
  if (iterations <= 0)
    return new RoutingError(
      'ingress-nginx cannot give a share of the requests that match: with analysis.match use analysis.iterations; istio and smi:v1alpha4 can',
      'analysis.iterations',
    );
  return rejectionOf(() => renderMatch(match));
}

function ignores(canary: Canary): readonly Finding[] {
  const { match } = canary.spec.analysis;
  return match?.length && refuses(canary) === undefined ? ignoredEntries(match) : [];
}

/** The annotations of the canary, without their prefix. A condition is written with weight 0: users who do not meet it stay on the primary. */
function rulesOfRoutes(routes: Routes): Labels {
  switch (routes.kind) {
    case 'matched':
      return { canary: 'true', 'canary-weight': '0', ...renderMatch(routes.match) };
    case 'weighted':
      if (routes.canary > 0 && routes.match?.length)
        throw new RoutingError(
          'ingress-nginx cannot give a share of the requests that match: use analysis.iterations',
          'analysis.iterations',
        );
      return { canary: 'true', 'canary-weight': String(routes.canary) };
    case 'mirrored':
      throw new RoutingError('ingress-nginx cannot mirror requests to a canary: set analysis.mirror to false', 'analysis.mirror');
    default:
      throw routes satisfies never;
  }
}
