import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Port } from '../../api/ports.ts';
import type { Apex, Router, Unkept } from '../router.ts';
import { routesAhead } from '../routes-ahead.ts';
import { ifExpressible } from '../routing-error.ts';
import type { SplitForm, Taken, WrittenRoute } from './split-form.ts';

/** Routes as they are, and how they come to be written. */
interface Written {
  /** All objects that were read. */
  objects: readonly KubeObject[];
  /** Routes of the user's that are split. */
  users: readonly KubeObject[];
  /** Other routes of users. */
  others: readonly KubeObject[];
  /** Makes the route of Serin's; absent: it makes none, or has made it. */
  made?: Pick<Router, 'render'> | undefined;
}

/** Requests that other routes of users answer, and that what Serin would write takes from them (I17): a route of its own, or copies of rules. */
export function takenRequests(canary: Canary, { objects, users, others, made }: Written, form: SplitForm): Unkept[] {
  const { takes } = form;
  if (takes === undefined || others.length === 0) return [];
  const apex = apexOf(canary, objects);
  const found = new Map<KubeObject, Taken & { from: KubeObject | undefined }>();
  for (const routes of routesAhead(canary)) {
    const own = made && ifExpressible(() => made.render(canary, apex, routes, []))?.write.find(({ kind }) => kind in form.versions);
    const written: WrittenRoute[] = [
      ...(own ? [{ now: own }] : []),
      ...users.flatMap((before) => {
        const spec = ifExpressible(() => ({ ...specOf(before), ...form.split(canary, before, routes) }));
        return spec
          ? [{ now: { ...before, spec }, before: { ...before, spec: { ...specOf(before), ...form.joined(canary, before) } } }]
          : [];
      }),
    ];
    const left = others.filter((one) => !found.has(one));
    for (const one of written)
      for (const taken of takes(one, left)) if (!found.has(taken.on)) found.set(taken.on, { ...taken, from: one.before });
  }
  return [...found.values()].map((taken) => unkept(canary, taken, form));
}

function unkept(canary: Canary, { on, requests, isByHost, from }: Taken & { from: KubeObject | undefined }, form: SplitForm): Unkept {
  const base = { on, field: form.rules, isRefused: isByHost !== true };
  if (from)
    return {
      ...base,
      detail: `answers ${requests}, which a copy of a rule in ${from.kind} ${from.metadata.name}, as the release needs it, would take from it`,
      remedy: 'give that rule a path or a host of its own, or take analysis.match and analysis.sessionAffinity out of the Canary',
    };
  const own = `make a route of your own that leads to Service ${names(canary).apexService} by a path or a host of its own, and list it in spec.routeRefs`;
  return {
    ...base,
    detail: `answers ${requests}, which the route that Serin makes for this Canary would take from it`,
    remedy: isByHost ? 'name another host in spec.service.hosts, or give those requests a route of their own' : `${own}; or ${form.apart}`,
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
