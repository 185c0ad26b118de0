import type { Canary } from '../../api/canary.ts';
import { specOf, statusOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import type { ParentReference } from '../../api/service-spec.ts';
import { isResting } from '../../api/step.ts';
import { defined } from '../../base/defined.ts';
import { isLabel } from '../../base/host-name.ts';
import { isRecord } from '../../base/json.ts';
import type { Apex } from '../router.ts';
import { RoutingError } from '../routing-error.ts';
import { HOSTNAME } from './filters.ts';

interface FoundParent {
  parentRef?: Partial<ParentReference>;
  conditions?: { type: string; status: string; observedGeneration?: number; reason?: string; message?: string }[];
}

/** The group of a parent that names none. */
const OWN_GROUP = 'gateway.networking.k8s.io';
/** Two names of the group of Services: some data planes read one, some both. */
const isCore = (group: string | undefined): boolean => group === '' || group === 'core';
const MOST_PARENTS = 32;
const MOST_HOSTS = 16;
const KIND = /^[a-zA-Z](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?$/;
const ADDRESS = /^[\d.]+$/;

/** `service.gatewayRefs`: Gateways, or Services for the traffic inside a mesh. */
export function parentRefs(canary: Canary): ParentReference[] {
  const found = canary.spec.service.gatewayRefs ?? [];
  if (found.length === 0)
    throw RoutingError.at('service.gatewayRefs', 'is empty: name the Gateway or the Service that the route belongs to');
  if (found.length > MOST_PARENTS) throw RoutingError.at('service.gatewayRefs', `has more than ${MOST_PARENTS} entries`);
  const refs = found.map(({ group = OWN_GROUP, kind = 'Gateway', namespace, name, sectionName, port }, index) => {
    const field = `service.gatewayRefs[${index}]`;
    if (group !== '' && !HOSTNAME.test(group)) throw RoutingError.at(`${field}.group`, 'is not an API group');
    if (!KIND.test(kind)) throw RoutingError.at(`${field}.kind`, 'is not a kind');
    // No data plane serves a route with such a parent: the canary would get no request, and be promoted all the same.
    if (kind === 'Service' && group === OWN_GROUP)
      throw RoutingError.at(`${field}.group`, `is ${OWN_GROUP}, which has no kind Service: write group: "" (Linkerd also takes core)`);
    if (kind === 'Gateway' && isCore(group))
      throw RoutingError.at(`${field}.group`, 'is the core group, which has no kind Gateway: leave it out');
    if (namespace !== undefined && !isLabel(namespace)) throw RoutingError.at(`${field}.namespace`, 'is not a namespace name');
    if (sectionName !== undefined && !HOSTNAME.test(sectionName)) throw RoutingError.at(`${field}.sectionName`, 'is not a listener name');
    return defined({ group, kind, namespace, name, sectionName, port });
  });
  for (const [index, ref] of refs.entries()) {
    const before = refs
      .slice(0, index)
      .find((other) => isSameObject(ref, other) && !differ(ref.sectionName, other.sectionName) && !differ(ref.port, other.port));
    if (before)
      throw RoutingError.at(`service.gatewayRefs[${index}]`, `names ${ref.name} again: each entry needs a sectionName or port of its own`);
  }
  return refs;
}

const differ = (one: string | number | undefined, other: string | number | undefined): boolean => Boolean(one && other && one !== other);

/**
 * The same, but only for the port of the apex Service that the Canary names, if that Service has others: a route for all ports would lead requests to other
 * ports to that one. An existing route without a port keeps it so until the next release (I8). `apex` is absent while the Canary is deleted.
 */
export function parentsAtPort(canary: Canary, found: KubeObject | undefined, apex?: Apex): ParentReference[] {
  const refs = parentRefs(canary);
  const standing = found ? parentsOf(found).filter((ref) => isApexService(canary, ref)) : [];
  const isNew = apex !== undefined && apex.ports.length > 1 && !(standing.length > 0 && isResting(canary.status?.release));
  const namesPort = isNew || standing.some(({ port }) => port !== undefined);
  if (!namesPort) return refs;
  const { port } = canary.spec.service;
  return refs.map((ref) => (isApexService(canary, ref) && !ref.sectionName && ref.port === undefined ? { ...ref, port } : ref));
}

/** Tests if a parent is the apex Service of the Canary. */
export function isApexService(canary: Canary, { group, kind, name, namespace }: Partial<ParentReference>): boolean {
  const own = canary.metadata.namespace;
  return isCore(group) && kind === 'Service' && name === names(canary).apexService && (namespace ?? own) === own;
}

export function parentsOf(object: KubeObject): Partial<ParentReference>[] {
  const { parentRefs: found } = specOf<{ parentRefs: Partial<ParentReference>[] }>(object);
  return Array.isArray(found) ? found.filter(isRecord) : [];
}

/** Tests if a route is attached to anything but Services, behind which clients inside a mesh would find the application without it. */
export function servesGateway(object: KubeObject): boolean {
  const { parentRefs: found } = specOf<{ parentRefs: Partial<ParentReference>[] }>(object);
  return Array.isArray(found) && found.some((ref: Partial<ParentReference> | null) => ref?.kind !== 'Service');
}

/** Tests if two routes, of these parents, share a listener. `home`: the namespace of the first; `theirs`: that of the other, by default the same. */
export function parentsMeet(
  some: readonly Partial<ParentReference>[],
  others: readonly Partial<ParentReference>[],
  home: string,
  theirs: string = home,
): boolean {
  const isOpen = (one: unknown, other: unknown) => one === undefined || other === undefined || one === other;
  const keyOf = ({ group = OWN_GROUP, kind = 'Gateway', namespace, name }: Partial<ParentReference>, own: string) =>
    JSON.stringify([isCore(group) ? '' : group, kind, namespace ?? own, name]);
  const meets = (one: Partial<ParentReference>, other: Partial<ParentReference>) =>
    keyOf(one, home) === keyOf(other, theirs) && isOpen(one.sectionName, other.sectionName) && isOpen(one.port, other.port);
  return some.some((one) => others.some((other) => meets(one, other)));
}

const isSameObject = (one: ParentReference, other: ParentReference): boolean =>
  one.group === other.group && one.kind === other.kind && one.name === other.name && (one.namespace ?? '') === (other.namespace ?? '');

/** `service.hosts`; a `*` among them is every host of the parents, which a route says by naming none. */
export function hostnames(canary: Canary): string[] {
  const hosts = [...new Set(canary.spec.service.hosts ?? [])];
  if (hosts.includes('*')) return [];
  if (hosts.length > MOST_HOSTS) throw RoutingError.at('service.hosts', `has more than the ${MOST_HOSTS} entries that a route takes`);
  for (const host of hosts) {
    if (!HOSTNAME.test(host.replace(/^\*\./, '')) || ADDRESS.test(host))
      throw RoutingError.at(
        'service.hosts',
        `has ${JSON.stringify(host)}: Gateway API takes lower-case host names, with *. in front at most`,
      );
  }
  return hosts;
}

/**
 * Reason for which a parent does not serve the current version of the route, `undefined` if all do. A condition without `observedGeneration` can be of any age
 * and says nothing, and neither does a parent without an entry.
 */
export function parentRejection(object: KubeObject): string | undefined {
  const refs = specOf<{ parentRefs: Partial<ParentReference>[] }>(object).parentRefs ?? [];
  const parents = statusOf<{ parents: FoundParent[] }>(object).parents ?? [];
  const { generation = 0, namespace = '' } = object.metadata;
  const where = `${object.kind} ${object.metadata.name}`;
  for (const { parentRef, conditions = [] } of parents) {
    if (!parentRef || !refs.some((ref) => isSameParent(ref, parentRef, namespace))) continue;
    for (const type of ['Accepted', 'ResolvedRefs']) {
      const condition = conditions.find((one) => one.type === type);
      if (condition?.observedGeneration === undefined) continue;
      if (condition.observedGeneration < generation) return `${parentRef.name} has not taken over ${where} yet`;
      if (condition.status !== 'True')
        return `${parentRef.name} says ${type} ${condition.status} of ${where}${condition.message ? `: ${condition.message}` : ''}`;
    }
  }
  return undefined;
}

function isSameParent(one: Partial<ParentReference>, other: Partial<ParentReference>, ownNamespace: string): boolean {
  const key = ({ group, kind, namespace, name, sectionName, port }: Partial<ParentReference>): string =>
    JSON.stringify([group ?? OWN_GROUP, kind ?? 'Gateway', namespace ?? ownNamespace, name, sectionName ?? '', port ?? 0]);
  return key(one) === key(other);
}
