import type { Permission, RbacVerb } from '../../src/api/permission.ts';
import { everyFeature, type Features, permissionsBesideSecrets, secretPermissionsFor } from '../../src/controller/permissions.ts';
import { leaseNames, leasePermissions } from '../../src/kube/permissions.ts';

/** A choice of values of charts/serin that changes what its account may do; docs/rights.md shows each. */
export interface Mode {
  name: string;
  values: object;
  features: Features;
  /** Namespaces that have Roles, by default the whole cluster. */
  namespaces?: readonly string[];
  /** The same for Secrets, by default `namespaces`. */
  secretsNamespaces?: readonly string[];
  about: string;
}

/** Namespaces of the examples: of the controller, and of its Canaries. */
export const RELEASE_NAMESPACE = 'serin';
export const [SHOP, MAIL] = ['shop', 'mail'];
const secretsNames = ['db', 'slack'];

const byDefault: Features = { ...everyFeature, providers: ['istio'] };
const minimal: Features = {
  ...byDefault,
  providers: ['kubernetes'],
  kinds: ['Deployment'],
  scalers: [],
  companions: [],
  metricBackends: [],
  configTracking: false,
  secretsReferences: false,
};

export const modes: readonly Mode[] = [
  { name: 'default', values: {}, features: byDefault, about: 'No value set: the whole cluster, and all features.' },
  {
    name: 'Secrets get',
    values: { secrets: { mode: 'get' } },
    features: { ...byDefault, secretsMode: 'get' },
    about: 'A changed Secret starts no release by itself: it is released with the next template or ConfigMap.',
  },
  {
    name: 'Secrets off',
    values: { secrets: { mode: 'off' } },
    features: { ...byDefault, secretsMode: 'off' },
    about: 'Secrets are not tracked: primaries read the originals, and a change reaches them without analysis.',
  },
  {
    name: 'Secrets by name',
    values: { secrets: { names: secretsNames } },
    features: { ...byDefault, secretsNames },
    about: 'Only these are tracked and referred to. Their copies stay until the Canary goes.',
  },
  {
    name: 'Secrets by namespace',
    values: { secrets: { namespaces: [SHOP] } },
    features: byDefault,
    secretsNamespaces: [SHOP],
    about: 'Secrets are tracked and referred to only in these namespaces; all else works in the whole cluster.',
  },
  {
    name: 'namespaces',
    values: { namespaces: [SHOP, MAIL] },
    features: byDefault,
    namespaces: [SHOP, MAIL],
    about: 'Only Canaries of these namespaces, by Roles and without a ClusterRole.',
  },
  {
    name: 'minimal',
    values: {
      namespaces: [SHOP, MAIL],
      meshProvider: 'kubernetes',
      kinds: ['Deployment'],
      scalers: [],
      companions: { podDisruptionBudgets: false, networkPolicies: false, verticalPodAutoscalers: false },
      metricBackends: [],
      configTracking: { enabled: false },
      secrets: { references: false },
    },
    features: minimal,
    namespaces: [SHOP, MAIL],
    about: 'Deployments behind plain Services: nothing is tracked, no webhook, alert or metric has credentials.',
  },
];

const covers = (namespaces: readonly string[] | undefined, namespace: string): boolean => namespaces?.includes(namespace) ?? true;

/** Everything that the account may do in a namespace; the lease is in that of the release. */
export function permissionsIn(mode: Mode, namespace: string): Permission[] {
  const { features, namespaces, secretsNamespaces = namespaces } = mode;
  return [
    ...(covers(namespaces, namespace) ? permissionsBesideSecrets(features) : []),
    ...(covers(secretsNamespaces, namespace) ? secretPermissionsFor(features) : []),
    ...(namespace === RELEASE_NAMESPACE ? leaseRules(namespaces !== undefined) : []),
  ];
}

/** A name cannot limit what creates an object; with several namespaces the controller makes the name. */
export function leaseRules(isUnnamed: boolean): Permission[] {
  if (isUnnamed) return [...leasePermissions];
  const only = (permission: Permission, isWanted: (verb: RbacVerb) => boolean) => ({
    ...permission,
    verbs: permission.verbs.filter(isWanted),
  });
  return leasePermissions.flatMap((permission) => [
    { ...only(permission, (verb) => verb !== 'create'), names: leaseNames },
    only(permission, (verb) => verb === 'create'),
  ]);
}
