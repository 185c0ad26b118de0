import { adoptAnnotation, adoptField } from '../../api/adopt-annotation.ts';
import type { Canary } from '../../api/canary.ts';
import { type Finding, ignored } from '../../api/finding.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { madeForAnnotation, ownerAnnotation } from '../../api/names.ts';
import { originalConfig } from '../../api/tracking-metadata.ts';

const MARKS = [ownerAnnotation, madeForAnnotation, originalConfig];
const MAKERS = ['Canary', 'ControllerRevision'];

/**
 * Whether a route is the user's: neither Serin nor Flagger has made it or taken it over whole, and it was not handed over. Of such a route only the
 * backends that name the application are Serin's (I17).
 */
export function isUsersRoute({ metadata: { annotations = {}, ownerReferences = [] } }: KubeObject): boolean {
  if (annotations[adoptAnnotation] === 'true') return false;
  return !MARKS.some((mark) => annotations[mark] !== undefined) && !ownerReferences.some(({ kind }) => MAKERS.includes(kind));
}

/** Fields of `spec.service` that say how a route is made. */
const SAID_OF_ROUTES = [
  'hosts',
  'gateways',
  'match',
  'rewrite',
  'timeout',
  'backendTimeout',
  'retries',
  'headers',
  'corsPolicy',
  'mirror',
] as const;

/** What the Canary says of routes in vain, where the route is the user's. */
export function saidInVain({ spec: { service } }: Canary, route: KubeObject | undefined): Finding[] {
  if (!route || !isUsersRoute(route)) return [];
  const isSaid = (value: unknown) => value !== undefined && (typeof value !== 'object' || Object.keys(value ?? {}).length > 0);
  const where = `${route.kind} ${route.metadata.name}`;
  return SAID_OF_ROUTES.filter((field) => isSaid(service[field])).map((field) =>
    ignored(`spec.service.${field}`, `has no effect, since ${where} is yours: say it there, or hand it over by ${adoptField}: "true"`),
  );
}
