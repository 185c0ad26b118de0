import type { Permission, RbacVerb } from '../../api/permission.ts';
import { dashboardPermissions, startPermissions } from '../../controller/permissions.ts';
import { leasePermissions } from '../../kube/permissions.ts';
import { leaseName, leaseNamespace, shardLeaseName } from '../../process/lease-names.ts';
import { type Need, needs } from './need.ts';
import type { RightsSettings } from './settings.ts';

/** A rule with all that needs it. */
export interface LeastRule {
  permission: Permission;
  by: readonly string[];
}

/** A Role, or without a namespace a ClusterRole. */
export interface LeastRole {
  namespace?: string;
  rules: readonly LeastRule[];
}

const READS: readonly RbacVerb[] = ['list', 'watch'];
const only = (permission: Permission, isWanted: (verb: RbacVerb) => boolean): Permission => ({
  ...permission,
  verbs: permission.verbs.filter(isWanted),
});
const reads = (permission: Permission): Permission => only(permission, (verb) => READS.includes(verb));

/** The roles that grant these needs, and nothing else: needs without a namespace first, then by namespace. */
export function leastRoles(used: readonly Need[], settings: RightsSettings): LeastRole[] {
  const all = [...startNeeds(settings), ...used, ...leaseNeeds(settings), ...reviewNeeds(settings)].flatMap((need) =>
    split(need, settings),
  );
  const byNamespace = Map.groupBy(all, ({ namespace }) => namespace);
  return [...byNamespace]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([namespace, found]) => ({ ...(namespace === '' ? {} : { namespace }), rules: merged(found) }));
}

/** Kinds that are listed at the start of the controller, in all namespaces that it looks after. */
function startNeeds({ config: { namespaces } }: RightsSettings): Need[] {
  const permissions = startPermissions.map(reads).filter(({ verbs }) => verbs.length > 0);
  return (namespaces.length === 0 ? [''] : namespaces).flatMap((namespace) => needs(namespace, permissions, 'each start'));
}

/** A name cannot limit what creates an object. */
function leaseNeeds({ config, account }: RightsSettings): Need[] {
  if (!config.enableLeaderElection) return [];
  const namespace = leaseNamespace({ ...config, leaderElectionNamespace: config.leaderElectionNamespace || account.namespace });
  const shards = config.shards > 1 ? Array.from({ length: config.shards }, (_, shard) => shardLeaseName(config, shard)) : [];
  const names = [leaseName(config), ...shards];
  const rules = leasePermissions.flatMap((permission) => [
    { ...only(permission, (verb) => verb !== 'create'), names },
    only(permission, (verb) => verb === 'create'),
  ]);
  return needs(namespace, rules, 'every replica');
}

const reviewNeeds = ({ dashboard }: RightsSettings): Need[] => (dashboard ? needs('', dashboardPermissions.reviews, 'each login') : []);

/** Where the whole cluster is looked after, a list or watch of one kind goes over all of it; the rest is granted in its namespace. */
function split(need: Need, { config: { namespaces } }: RightsSettings): Need[] {
  const { permission, namespace } = need;
  if (permission.scope === 'cluster') return [{ ...need, namespace: '' }];
  if (namespaces.length > 0 || namespace === '' || permission.scope === 'namespace') return [need];
  const parts = [
    { ...need, namespace: '', permission: reads(permission) },
    { ...need, permission: only(permission, (verb) => !READS.includes(verb)) },
  ];
  return parts.filter((part) => part.permission.verbs.length > 0);
}

/** Each rule once, with all that needs it; Secrets that are read by name for the same purpose share one. */
function merged(found: readonly Need[]): LeastRule[] {
  const rules = new Map<string, { permission: Permission; by: Set<string> }>();
  for (const { permission, by } of found) {
    const { group, resources, verbs, purpose, names } = permission;
    const key = JSON.stringify([group, resources, verbs, purpose, names !== undefined]);
    const known = rules.get(key);
    if (known === undefined) rules.set(key, { permission, by: new Set([by]) });
    else {
      known.by.add(by);
      if (names) known.permission = { ...known.permission, names: [...new Set([...(known.permission.names ?? []), ...names])].toSorted() };
    }
  }
  const all = [...rules.values()].map(({ permission, by }) => ({ permission, by: [...by] }));
  return all.filter((one) => !all.some((other) => other !== one && isWithin(one.permission, other.permission)));
}

/** The other one, for the same purpose, grants it as well. */
function isWithin(one: Permission, other: Permission): boolean {
  if (one.group !== other.group || one.purpose !== other.purpose || other.names !== undefined) return false;
  return [...one.resources].every((each) => other.resources.includes(each)) && one.verbs.every((verb) => other.verbs.includes(verb));
}
