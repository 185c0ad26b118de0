import { adoptAnnotation, splitAnnotation } from '../../api/adopt-annotation.ts';
import type { Canary } from '../../api/canary.ts';
import { findObject, type KubeObject, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import { allToPrimary, type Routes, sendsAllToPrimary } from '../../api/routes.ts';
import type { JsonRecord } from '../../base/json.ts';
import { originalSpec } from '../original-spec.ts';
import type { RouteChange, Router } from '../router.ts';
import { ifExpressible, objectMissing, RoutingError, rejectionOf } from '../routing-error.ts';
import { agreed } from './agreed.ts';
import { delistedRefs, listedRefs, type SplitForm } from './split-form.ts';
import { unkeptRoutes } from './unkept-routes.ts';
import { asUsersRoute, isUsersRoute, saidInVain } from './users-route.ts';

/**
 * A provider of which routes can be the user's: a route under the apex name from before the Canary, and the routes that `spec.routeRefs` lists. Of them only
 * the backends that name the application are ours (I17). `made`: the same provider with a route that it makes, or has taken over whole.
 */
export function withUsersRoutes(made: Router, form: SplitForm): Router {
  function routesOf(canary: Canary, current: readonly KubeObject[]) {
    const ref = form.ref(canary, current);
    const own = findObject(current, ref);
    const listed = listedRefs(canary, form).filter((one) => refKey(one.ref) !== refKey(ref));
    const isUsers = own !== undefined && isUsersRoute(own);
    const found = listed.flatMap((one) => findObject(current, one.ref) ?? []);
    return {
      own,
      listed,
      /** Serin makes its route, or has it. */
      isMade: own ? !isUsers : listed.length === 0,
      users: [...(isUsers ? [own] : []), ...found.filter(isUsersRoute)],
      all: [...(own ? [own] : []), ...found],
    };
  }

  const rejection = (canary: Canary, current: readonly KubeObject[]) => {
    for (const found of routesOf(canary, current).all) {
      const detail = form.rejectionOf?.(found);
      if (detail !== undefined) return { object: versioned(found, form), detail };
    }
    return undefined;
  };

  /** A listed route that is not found, or a route that cannot be split: it holds no share, and leads to the application whole. */
  function missing(canary: Canary, current: readonly KubeObject[]): RoutingError | undefined {
    const { listed, users } = routesOf(canary, current);
    for (const { field, ref } of listed) {
      const found = findObject(current, ref);
      if (!found) return objectMissing(field, ref);
      if (!isUsersRoute(found)) return notUsers(field, found);
    }
    return rejectionOfAny(users.map((found) => () => form.split(canary, found, allToPrimary)));
  }

  function render(canary: Canary, apex: Parameters<Router['render']>[1], routes: Routes, current: readonly KubeObject[]): RouteChange {
    const { isMade, users } = routesOf(canary, current);
    const halted = sendsAllToPrimary(routes) ? undefined : missing(canary, current);
    if (halted) throw halted;
    const { write, remove } = isMade
      ? made.render(canary, apex, routes, current)
      : { write: form.besides?.(canary, current) ?? [], remove: [] };
    // The apex Service leads to the primary: a route that an edit has made impossible to split leads there whole.
    const parts = users.flatMap((found) => {
      const split = () => part(found, form, form.split(canary, found, routes));
      return sendsAllToPrimary(routes) ? (ifExpressible(split) ?? joined(canary, [found])) : split();
    });
    return { write: [...write, ...parts, ...joined(canary, delisted(canary, current))], remove };
  }

  function handedBack(canary: Canary, routes: Routes, current: readonly KubeObject[]): KubeObject | undefined {
    const { own, isMade } = routesOf(canary, current);
    const { [splitAnnotation]: asked, [adoptAnnotation]: given } = own?.metadata.annotations ?? {};
    const spec = own && isMade && asked === 'true' && given !== 'true' ? originalSpec(own, form.namesSides(canary)) : undefined;
    if (!own || !spec) return undefined;
    const users = asUsersRoute({ ...own, spec });
    const split = () => form.split(canary, users, routes);
    return { ...users, spec: { ...spec, ...(sendsAllToPrimary(routes) ? ifExpressible(split) : split()) } };
  }

  /** Routes that were listed and split, and are listed no more. */
  function delisted(canary: Canary, current: readonly KubeObject[]): KubeObject[] {
    const ref = form.ref(canary, current);
    return delistedRefs(canary, form)
      .filter((one) => refKey(one) !== refKey(ref))
      .flatMap((one) => findObject(current, one) ?? [])
      .filter(isUsersRoute);
  }

  /** Nothing where no rule is split. */
  const joined = (canary: Canary, users: readonly KubeObject[]): KubeObject[] =>
    users.flatMap((found) => {
      const spec = form.joined(canary, found);
      return spec ? [part(found, form, spec)] : [];
    });

  return {
    ...made,
    watches: (canary) =>
      distinct([...made.watches(canary), ...listedRefs(canary, form).map(({ ref }) => ref), ...delistedRefs(canary, form)]),
    unkept: (canary, objects) => [...(made.unkept?.(canary, objects) ?? []), ...unkeptRoutes(canary, objects, form, made)],
    ignores: (canary, current = []) => [
      ...(made.ignores?.(canary, current) ?? []),
      ...(routesOf(canary, current).isMade ? [] : saidInVain(canary, routesOf(canary, current).users)),
    ],
    splits: (canary, current) =>
      routesOf(canary, current).users.map((on) => ({
        ...{ on, rules: form.leading(canary, on), isSplit: form.joined(canary, on) !== undefined },
      })),
    isUsers: (route) => route.kind in form.versions && isUsersRoute(route),
    render,
    missing,
    handedBack,
    readRoutes(canary, current) {
      const { isMade, users, listed } = routesOf(canary, current);
      const read = users.map((found) => ({ found, routes: form.read(canary, found) }));
      const isAbsent = listed.some(({ ref }) => !findObject(current, ref));
      if (!isMade) return isAbsent ? undefined : agreed(read);
      return users.length === 0 ? made.readRoutes(canary, current) : agreed([...read, { routes: made.readRoutes(canary, current) }]);
    },
    ...(form.rejectionOf && {
      rejection,
      isInForce: (canary: Canary, current: readonly KubeObject[]) => rejection(canary, current) === undefined,
    }),
    finalize(canary, current) {
      const { users } = routesOf(canary, current);
      const all = [...users, ...delisted(canary, current)];
      const { write, remove } = made.finalize(
        canary,
        current.filter((one) => !all.includes(one)),
      );
      return { write: [...write, ...joined(canary, all)], remove };
    },
  };
}

const rejectionOfAny = (attempts: readonly (() => unknown)[]): RoutingError | undefined =>
  rejectionOf(() => {
    for (const attempt of attempts) attempt();
  });

const distinct = (refs: readonly ObjectRef[]): ObjectRef[] => [...new Map(refs.map((ref) => [refKey(ref), ref])).values()];

const versioned = (found: KubeObject, { versions }: SplitForm): ObjectRef => ({
  ...refOf(found),
  apiVersion: versions[found.kind] ?? found.apiVersion,
});

/** The part of a user's route that is Serin's. */
function part(found: KubeObject, form: SplitForm, spec: JsonRecord): KubeObject {
  const { apiVersion, kind, name, namespace = '' } = versioned(found, form);
  return { apiVersion, kind, metadata: { name, namespace }, spec };
}

function notUsers(field: string, { kind, metadata: { name } }: KubeObject): RoutingError {
  return RoutingError.at(
    field,
    `names ${kind} ${name}, which a Canary has made or taken over whole, so that no other one splits it: name a route of your own`,
  );
}
