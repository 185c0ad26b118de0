import type { Canary } from '../../api/canary.ts';
import { groupOf, type KubeObject, type ObjectRef, refKey } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { RouteRef } from '../../api/route-ref.ts';
import type { Routes, UnreadableRoutes } from '../../api/routes.ts';
import { covers } from '../../base/host-name.ts';
import type { JsonRecord } from '../../base/json.ts';
import type { NamesOurSides } from '../original-spec.ts';
import type { Unkept } from '../router.ts';

/** Splits routes of users, for one provider. */
export interface SplitForm {
  /** API versions in which routes are read and written, by kind; all of one group. */
  versions: Readonly<Record<string, string>>;
  /** The field that holds the rules, for messages. */
  rules: string;
  /** The route of this provider under the apex name. */
  ref(canary: Canary, current: readonly KubeObject[]): ObjectRef;
  /** The fields of its spec that are Serin's, with the application split. Throws a `RoutingError` where that cannot be said. */
  split(canary: Canary, found: KubeObject, routes: Routes): JsonRecord;
  /** The same fields as the user wrote them, `undefined` if nothing of the route is split. */
  joined(canary: Canary, found: KubeObject): JsonRecord | undefined;
  /** Where its rules, as the user wrote them, lead to the application: `spec.rules[0]`. */
  leading(canary: Canary, found: KubeObject): readonly string[];
  /** `undefined` if it leads to the application whole, as before Serin. */
  read(canary: Canary, found: KubeObject): Routes | UnreadableRoutes | undefined;
  /** Tests if a spec is one of ours, which names the sides. */
  namesSides(canary: Canary): NamesOurSides;
  /** Its rules, of all lists. */
  rulesIn(found: KubeObject): readonly JsonRecord[];
  /** Services that its rules lead to, as `namespace/name`, without mirrors. */
  servicesOf(found: KubeObject): readonly string[];
  /** Tests if the route that Serin would make is for requests that this route of the user's also takes. `all`: routes of every namespace that was read. */
  isFor(canary: Canary, found: KubeObject, all: readonly KubeObject[]): boolean;
  /** Requests that others answer, and that the written route takes from them; absent if routes of this kind take none of each other's. */
  takes?(written: WrittenRoute, others: readonly KubeObject[]): readonly Taken[];
  /** Remedy in the Canary against `takes`, besides a route of the user's, for messages. */
  apart: string;
  /** Objects that users have attached to its rules and that would not hold for copies of them. `objects`: all that were read. */
  unkept?(canary: Canary, found: KubeObject, objects: readonly KubeObject[]): readonly Unkept[];
  /** Objects that the sides need beside any route. */
  besides?(canary: Canary, current: readonly KubeObject[]): readonly KubeObject[];
  /** Reason for which the provider rejects the current version of a route; absent if the provider does not report it. */
  rejectionOf?(found: KubeObject): string | undefined;
}

/** A route as Serin would write it. */
export interface WrittenRoute {
  now: KubeObject;
  /** The object in the cluster, by whose age routes are compared; absent if Serin has not made it yet. */
  found?: KubeObject;
  /** Its earlier form: requests that this answers already are not taken from others. */
  before?: KubeObject;
}

/** Requests of a route of the user's that come to another one. */
export interface Taken {
  on: KubeObject;
  /** In words. */
  requests: string;
  /** It answers them since no other route names their host, and the new one does. */
  isByHost?: true;
}

/** A route that the spec lists. */
interface ListedRef {
  /** Below `spec`. */
  field: string;
  ref: ObjectRef;
}

/** References that the provider reads. */
export function listedRefs(canary: Canary, form: SplitForm): ListedRef[] {
  return (canary.spec.routeRefs ?? []).flatMap((one, index) => {
    const ref = refTo(canary, one, form);
    return ref ? [{ field: `routeRefs[${index}]`, ref }] : [];
  });
}

/** Routes that were listed, and could have been split since. */
export function delistedRefs(canary: Canary, form: SplitForm): ObjectRef[] {
  const listed = new Set(listedRefs(canary, form).map(({ ref }) => refKey(ref)));
  const known = (canary.status?.release?.listedRoutes ?? []).flatMap((one) => refTo(canary, one, form) ?? []);
  return known.filter((ref) => !listed.has(refKey(ref)));
}

/** In the version that the provider reads, `undefined` for a route of another provider. */
function refTo(canary: Canary, { apiVersion, kind, name }: RouteRef, { versions }: SplitForm): ObjectRef | undefined {
  const known = Object.hasOwn(versions, kind) ? versions[kind] : undefined;
  if (known === undefined || groupOf(known) !== groupOf(apiVersion)) return undefined;
  return { apiVersion: known, kind, name, namespace: canary.metadata.namespace };
}

/** Tests if the rules lead to the application, whole or split. */
export function leadsTo(canary: Canary, found: KubeObject, form: Pick<SplitForm, 'servicesOf'>): boolean {
  const { apexService, primaryService, canaryService } = names(canary);
  const services = form.servicesOf(found);
  const has = (name: string) => services.includes(`${canary.metadata.namespace}/${name}`);
  return has(apexService) || (has(primaryService) && has(canaryService));
}

/** A host of a new or existing route that another route also has: the same, or a wider one. A route without hosts is for all hosts. */
export function sharedHost(own: readonly string[], theirs: readonly string[]): { host: string; isSame: boolean } | undefined {
  if (own.length === 0 && theirs.length === 0) return { host: '', isSame: true };
  const same = own.find((host) => theirs.includes(host));
  if (same !== undefined) return { host: same, isSame: true };
  const narrower = own.find((host) => theirs.length === 0 || theirs.some((wide) => covers(wide, host)));
  return narrower === undefined ? undefined : { host: narrower, isSame: false };
}

/** Hosts of a route, those first that it did not have before; no hosts are all. */
export function hostGroups(
  hosts: readonly string[],
  before: readonly string[] | undefined,
): { hosts: readonly string[]; isNew: boolean }[] {
  if (hosts.length === 0) return [{ hosts, isNew: before === undefined || before.length > 0 }];
  const had = (host: string): boolean => before?.includes(host) === true;
  const groups = [
    { hosts: hosts.filter((host) => !had(host)), isNew: true },
    { hosts: hosts.filter(had), isNew: false },
  ];
  return groups.filter((group) => group.hosts.length > 0);
}

/** Tests if a request can be for a host of each of two routes; a route without hosts is for all hosts. */
export function hostsMeet(some: readonly string[], others: readonly string[]): boolean {
  const meets = (one: string, other: string) => covers(one, other) || covers(other, one);
  return some.length === 0 || others.length === 0 || some.some((one) => others.some((other) => meets(one, other)));
}
