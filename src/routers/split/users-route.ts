import { isDeepStrictEqual } from 'node:util';
import { adoptAnnotation, adoptField } from '../../api/adopt-annotation.ts';
import type { Canary } from '../../api/canary.ts';
import { type Finding, ignored } from '../../api/finding.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { fluxOff, madeForAnnotation, names, ownerAnnotation } from '../../api/names.ts';
import { originalConfig } from '../../api/tracking-metadata.ts';
import { isRecord, type JsonRecord, recordsIn, textsIn } from '../../base/json.ts';

const MARKS = [ownerAnnotation, madeForAnnotation, originalConfig];
const MAKERS = ['Canary', 'ControllerRevision'];

/**
 * Tests if a route is the user's: neither Serin nor Flagger has made it or taken it over whole, and it was not handed over. Of such a route only the backends
 * that name the application are Serin's (I17).
 */
export function isUsersRoute({ metadata }: KubeObject): boolean {
  // A manifest can have `annotations:` without any.
  const annotations = metadata.annotations ?? {};
  const ownerReferences = metadata.ownerReferences ?? [];
  if (annotations[adoptAnnotation] === 'true') return false;
  return !MARKS.some((mark) => annotations[mark] !== undefined) && !ownerReferences.some(({ kind }) => MAKERS.includes(kind));
}

/** The route as the user's: without marks, owners and annotations of Serin's. */
export function asUsersRoute(route: KubeObject): KubeObject {
  const { annotations = {}, ownerReferences = [], ...metadata } = route.metadata;
  const isOurs = (key: string, value: string) => MARKS.includes(key) || fluxOff[key as keyof typeof fluxOff] === value;
  const kept = Object.entries(annotations).filter(([key, value]) => !isOurs(key, value));
  const owners = ownerReferences.filter(({ kind }) => !MAKERS.includes(kind));
  return {
    ...route,
    metadata: {
      ...metadata,
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
      ...(owners.length > 0 && { ownerReferences: owners }),
    },
  };
}

type SaidBy = (spec: JsonRecord) => readonly unknown[];

/** Fields of `spec.service` that say how a route is made, and the matching part of a route's spec, `undefined` if nothing can be compared. */
const SAID_OF_ROUTES = {
  hosts: ({ hosts, hostnames, virtualhost }) => [
    ...textsIn(hosts),
    ...textsIn(hostnames),
    ...textsIn([isRecord(virtualhost) ? virtualhost.fqdn : undefined]),
  ],
  gateways: ({ gateways }) => (gateways === undefined ? ['mesh'] : textsIn(gateways)),
  gatewayRefs: ({ parentRefs }) => recordsIn(parentRefs),
  delegation: undefined,
  match: undefined,
  rewrite: undefined,
  timeout: undefined,
  backendTimeout: undefined,
  retries: undefined,
  headers: undefined,
  corsPolicy: undefined,
  mirror: undefined,
} satisfies Partial<Record<keyof Canary['spec']['service'], SaidBy | undefined>>;

/** Fields of the Canary that have no effect on routes, because the routes are the user's, and differ or could. */
export function saidInVain(canary: Canary, routes: readonly KubeObject[]): Finding[] {
  const {
    spec: { service },
    metadata,
  } = canary;
  const [first, ...more] = routes;
  if (first === undefined) return [];
  const isSaid = (value: unknown) =>
    value !== undefined && value !== false && (typeof value !== 'object' || Object.keys(value ?? {}).length > 0);
  const fields = Object.entries<SaidBy | undefined>(SAID_OF_ROUTES).filter(([field, saidBy]) => {
    const value: unknown = service[field as keyof typeof SAID_OF_ROUTES];
    if (!isSaid(value)) return false;
    const known = saidBy && routes.flatMap((route) => saidBy(specOf<JsonRecord>(route)));
    return !known || !Array.isArray(value) || !value.every((one) => known.some((other) => says(other, one, metadata.namespace)));
  });
  const where = `${first.kind} ${first.metadata.name}${more.length > 0 ? ` and ${more.length} more` : ''}`;
  const is = more.length > 0 ? 'are' : 'is';
  const isApex = first.metadata.name === names(canary).apexService;
  const remedy = isApex ? `say it there, or hand it over by ${adoptField}: "true"` : 'say it there';
  return fields.map(([field]) => ignored(`spec.service.${field}`, `has no effect, since ${where} ${is} yours: ${remedy}`));
}

/** Tests if a route has this host or parent, with any further fields. */
function says(known: unknown, asked: unknown, home: string): boolean {
  if (!isRecord(known) || !isRecord(asked)) return isDeepStrictEqual(known, asked);
  const whole = { group: 'gateway.networking.k8s.io', kind: 'Gateway', namespace: home, ...known };
  return Object.entries(asked).every(([field, value]) => value === undefined || isDeepStrictEqual(Reflect.get(whole, field), value));
}
