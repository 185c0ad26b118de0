import type { Canary } from '../../api/canary.ts';
import { groupOf, type KubeObject, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { Router, Unkept } from '../router.ts';
import { routesAhead } from '../routes-ahead.ts';
import { type RoutingError, rejectionOf } from '../routing-error.ts';
import { lostBefore } from './lost-before.ts';
import { leadsTo, listedRefs, type SplitForm } from './split-form.ts';
import { takenRequests } from './taken-requests.ts';
import { isUsersRoute } from './users-route.ts';

/** Routes of users that would not take part in a release, at the arrival of their Canary: they cannot be split, or are not listed. */
export function unkeptRoutes(canary: Canary, objects: readonly KubeObject[], form: SplitForm, made: Pick<Router, 'render'>): Unkept[] {
  const group = groupOf(Object.values(form.versions)[0] ?? '');
  const all = objects.filter(({ apiVersion, kind }) => kind in form.versions && groupOf(apiVersion) === group);
  const own = form.ref(canary, all);
  const listed = listedRefs(canary, form).map(({ ref }) => ref);
  const keyOf = (ref: ObjectRef) => refKey({ ...ref, apiVersion: group });
  const split = new Set([own, ...listed].map(keyOf));
  const isSplit = (one: KubeObject) => split.has(keyOf(refOf(one)));
  const found = all.find((one) => keyOf(refOf(one)) === keyOf(own));
  const isMade = listed.length === 0 && found === undefined;
  const standing = found && !isUsersRoute(found) ? found : undefined;
  const unkept = all.flatMap((one) => {
    if (!isUsersRoute(one)) return one === found ? lostBefore(canary, one, form) : [];
    if (isSplit(one)) return [...unsplit(canary, one, form), ...(form.unkept?.(canary, one, objects) ?? [])];
    return leadsTo(canary, one, form) ? [unlisted(canary, one, isMade && form.isFor(canary, one, all))] : [];
  });
  const named = new Set(unkept.filter(({ isRefused }) => isRefused).map(({ on }) => on));
  const users = all.filter(isUsersRoute);
  const written = {
    objects,
    users: users.filter(isSplit),
    others: users.filter((one) => !isSplit(one) && !named.has(one)),
    made: isMade || standing ? made : undefined,
    own: standing,
  };
  return [...unkept, ...takenRequests(canary, written, form)];
}

/** Before the first write all is tried that a release can come to. */
function unsplit(canary: Canary, on: KubeObject, form: SplitForm): Unkept[] {
  const { apexService } = names(canary);
  const firm = { on, field: form.rules, isRefused: true, isFirm: true } as const;
  if (!leadsTo(canary, on, form))
    return [
      {
        ...firm,
        detail: `leads nowhere to Service ${apexService}, so that a release would have no requests`,
        remedy: isListed(canary, on, form)
          ? `add a rule that leads there, or take ${on.kind} ${on.metadata.name} out of spec.routeRefs`
          : `add a rule that leads there, or give ${on.kind} ${on.metadata.name} another name, so that Serin makes a route of this name`,
      },
    ];
  for (const routes of routesAhead(canary)) {
    const error = rejectionOf(() => form.split(canary, on, routes));
    if (error) return [{ ...firm, ...clausesOf(error) }];
  }
  return [];
}

const isListed = (canary: Canary, { kind, metadata }: KubeObject, form: SplitForm): boolean =>
  listedRefs(canary, form).some(({ ref }) => ref.kind === kind && ref.name === metadata.name);

function clausesOf({ clauses: { problem, remedy } }: RoutingError): Pick<Unkept, 'detail' | 'remedy'> {
  return { detail: `cannot be split: ${problem}`, remedy: remedy ?? 'correct that field of the Canary, or let the route say it otherwise' };
}

function unlisted(canary: Canary, on: KubeObject, isSecond: boolean): Unkept {
  const { apexService } = names(canary);
  const { name, namespace } = on.metadata;
  const home = canary.metadata.namespace;
  const base = { on, field: 'spec' };
  if (namespace !== home)
    return {
      ...{ ...base, isRefused: false },
      detail: `leads to Service ${apexService} of namespace ${home}, and no route of another namespace is written: its requests get no share of a release`,
      remedy: `move it into namespace ${home}, and list it in spec.routeRefs`,
    };
  return {
    ...{ ...base, isRefused: isSecond, ...(isSecond && { isNew: true }) },
    detail: `leads to Service ${apexService}, and is not in spec.routeRefs of the Canary: ${
      isSecond ? 'a second route would be made for its host and parent' : 'its requests get no share of a release'
    }`,
    remedy: `list it there, as {apiVersion: ${on.apiVersion}, kind: ${on.kind}, name: ${name}}`,
  };
}
