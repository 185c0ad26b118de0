import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Port } from '../ports.ts';
import type { Apex, Router, Unkept } from '../router.ts';
import { routesAhead } from '../routes-ahead.ts';
import { ifExpressible } from '../routing-error.ts';
import type { SplitForm, Taken, WrittenRoute } from './split-form.ts';

/** Current routes, and the way in which they are written. */
interface Written {
  /** All objects that were read. */
  objects: readonly KubeObject[];
  /** Routes of the user's that are split. */
  users: readonly KubeObject[];
  /** Other routes of users. */
  others: readonly KubeObject[];
  /** Makes the route of Serin's; absent if Serin makes none. */
  made?: Pick<Router, 'render'> | undefined;
  /** The route that it has made. */
  own?: KubeObject | undefined;
}

type Found = Taken & { from: KubeObject | undefined; isSince?: true };

/**
 * Requests that other routes of users answer, and that Serin's writes take from them (I17): a route of its own, or copies of rules. Of a route that Serin has
 * made already, only further requests; and requests of routes that have come since, which only the user can part.
 */
export function takenRequests(canary: Canary, { objects, users, others, made, own }: Written, form: SplitForm): Unkept[] {
  const { takes } = form;
  if (takes === undefined || others.length === 0) return [];
  const apex = apexOf(canary, objects);
  const found = new Map<KubeObject, Found>();
  const noteTaken = (one: WrittenRoute, more: Pick<Found, 'from' | 'isSince'>): void => {
    const left = others.filter((other) => !found.has(other));
    for (const taken of takes(one, left)) if (!found.has(taken.on)) found.set(taken.on, { ...taken, ...more });
  };
  // Those of a release in progress go on under an edit that leads to others.
  const recorded = canary.status?.release?.routes;
  for (const routes of [...routesAhead(canary), ...(recorded ? [recorded] : [])]) {
    const next = made && ifExpressible(() => made.render(canary, apex, routes, []))?.write.find(({ kind }) => kind in form.versions);
    if (next) noteTaken({ now: next, ...(own?.kind === next.kind && { found: own, before: own }) }, { from: undefined });
    for (const before of users) {
      const spec = ifExpressible(() => ({ ...specOf(before), ...form.split(canary, before, routes) }));
      const whole = { ...before, spec: { ...specOf(before), ...form.joined(canary, before) } };
      if (spec) noteTaken({ now: { ...before, spec }, found: before, before: whole }, { from: before });
    }
  }
  if (own) noteTaken({ now: own, found: own }, { from: own, isSince: true });
  return [...found.values()].map((taken) => unkept(canary, taken, form));
}

function unkept(canary: Canary, { on, requests, isByHost, from, isSince }: Found, form: SplitForm): Unkept {
  const base = { on, field: form.rules, isRefused: isByHost !== true && !isSince };
  const own = `make a route of your own that leads to Service ${names(canary).apexService} by a path or a host of its own, and list it in spec.routeRefs`;
  const apart = isByHost
    ? 'name another host in spec.service.hosts, or give those requests a route of their own'
    : `${own}; or ${form.apart}`;
  if (from && isSince)
    return { ...base, detail: `answers ${requests}, which ${from.kind} ${from.metadata.name} of this Canary takes from it`, remedy: apart };
  if (from)
    return {
      ...base,
      detail: `answers ${requests}, which a copy of a rule in ${from.kind} ${from.metadata.name}, as the release needs it, would take from it`,
      remedy: 'give that rule a path or a host of its own, or take analysis.match and analysis.sessionAffinity out of the Canary',
    };
  return {
    ...base,
    isNew: true,
    detail: `answers ${requests}, which the route that Serin makes for this Canary would take from it`,
    remedy: apart,
  };
}

/** The apex Service as far as routes depend on it. */
function apexOf(canary: Canary, objects: readonly KubeObject[]): Apex {
  const { apexService } = names(canary);
  const { namespace } = canary.metadata;
  const found = objects.find(
    ({ kind, metadata }) => kind === 'Service' && metadata.name === apexService && metadata.namespace === namespace,
  );
  const { ports } = specOf<{ ports: Port[] }>(found);
  const { port } = canary.spec.service;
  const only: Port = { name: 'http', port, targetPort: port, protocol: 'TCP' };
  return { selector: { key: '', target: '', primary: '' }, ports: ports ?? [only] };
}
