import { type Provider, providers } from '../api/canary.ts';
import { inNamespace, ofCluster, type Permission, rule } from '../api/permission.ts';
import { arrivalPermissions } from '../arrival/kinds.ts';
import { eventPermissions } from '../kube/permissions.ts';
import { metricsPermissions } from '../metrics/permissions.ts';
import { routerPermissions, servicePermissions } from '../routers/permissions.ts';
import type { SecretsMode } from '../workloads/configs/read-configs.ts';
import {
  companionPermissions,
  configMapPermissions,
  kindPermissions,
  knativePermissions,
  namedSecretPermissions,
  scalerPermissions,
  secretPermissions,
  startWorkloadPermissions,
  takeOverPermissions,
  workloadPermissions,
} from '../workloads/permissions.ts';

/** Features that are switched on, and so need permission. */
export interface Features {
  providers: readonly Provider[];
  kinds: readonly (keyof typeof kindPermissions)[];
  configTracking: boolean;
  /** Copies that Flagger made are kept. */
  takeOver: boolean;
  secretsMode: SecretsMode;
  /** Names of the Secrets that are permitted. An empty list permits all. */
  secretsNames: readonly string[];
  /** In mode `off`: references to Secrets are permitted. */
  secretsReferences: boolean;
  scalers: readonly (keyof typeof scalerPermissions)[];
  companions: readonly (keyof typeof companionPermissions)[];
  metricBackends: readonly (keyof typeof metricsPermissions)[];
}

const keysOf = <K extends string>(table: Readonly<Record<K, unknown>>): K[] => Object.keys(table) as K[];

export const everyFeature: Features = {
  providers,
  kinds: keysOf(kindPermissions),
  configTracking: true,
  takeOver: true,
  secretsMode: 'watch',
  secretsNames: [],
  secretsReferences: true,
  scalers: keysOf(scalerPermissions),
  companions: keysOf(companionPermissions),
  metricBackends: keysOf(metricsPermissions),
};

const conditions = (resource: string): Permission =>
  rule('flagger.app', [resource], ['patch'], 'conditions that say whether they work; without it all goes on, and they are not written');

/** Permissions in namespaces with objects of these kinds that Canaries refer to. */
export const referencePermissions = {
  metricTemplates: [conditions('metrictemplates/status')],
  alertProviders: [rule('flagger.app', ['alertproviders'], ['get'], 'alerts'), conditions('alertproviders/status')],
} satisfies Record<string, readonly Permission[]>;

/** For each Canary, with any target. */
export const canaryPermissions: readonly Permission[] = [
  rule('flagger.app', ['canaries'], ['get', 'list', 'watch', 'patch'], 'Canaries; patch is for the finalizer'),
  rule('flagger.app', ['canaries/status'], ['patch'], 'their status'),
  rule('flagger.app', ['metrictemplates'], ['list', 'watch'], 'checks'),
  ...startWorkloadPermissions,
  ...eventPermissions,
  rule('', ['namespaces'], ['get'], 'whether the namespace of a deleted Canary is also being deleted'),
];

/** Rules of these that list and watch are for kinds that are looked at as the controller starts, with Canaries or without. */
export const startPermissions: readonly Permission[] = [...canaryPermissions, ...servicePermissions];

/** Needed with any feature. */
export const corePermissions: readonly Permission[] = [
  ...canaryPermissions,
  ...servicePermissions,
  ...workloadPermissions,
  ...arrivalPermissions,
  ...Object.values(referencePermissions).flat(),
];

/** Permissions of the dashboard, if it is served: its users' views, each after a review of their own rights. */
export const dashboardPermissions = {
  views: [
    inNamespace(rule('', ['pods'], ['list', 'watch'], 'the pods of an open release on the dashboard')),
    inNamespace(rule('', ['events'], ['list', 'watch'], 'its events')),
    rule('apps', ['controllerrevisions'], ['list', 'watch'], 'primaries that are kept, while someone looks at the list'),
  ],
  /** Permissions in no namespace, so that a ClusterRole has them. */
  reviews: [
    ofCluster(rule('authentication.k8s.io', ['tokenreviews'], ['create'], 'whose token a login brings')),
    ofCluster(rule('authorization.k8s.io', ['subjectaccessreviews'], ['create'], 'what that user may see and do')),
  ],
} satisfies Record<string, readonly Permission[]>;

/** Permissions of one provider: its routes, and its kind of target, if it has one. */
export function providerPermissions(provider: Provider): readonly Permission[] {
  return provider === 'knative' ? knativePermissions : routerPermissions[provider];
}

/** Every part that can be switched, by the name of the chart's value. */
export const switchedPermissions = {
  kinds: kindPermissions,
  configTracking: { enabled: configMapPermissions },
  scalers: scalerPermissions,
  companions: companionPermissions,
  metricBackends: metricsPermissions,
  providers: Object.fromEntries(providers.map((provider) => [provider, providerPermissions(provider)])),
} satisfies Record<string, Readonly<Record<string, readonly Permission[]>>>;

/** The rules of a role that is enough for these features, and grants nothing else; the lease has a role of its own. */
export function permissionsFor(features: Features): Permission[] {
  return merged([...permissionsBesideSecrets(features), ...secretPermissionsFor(features)]);
}

/** The same without Secrets. */
export function permissionsBesideSecrets(features: Features): Permission[] {
  return merged([
    ...corePermissions,
    ...features.kinds.flatMap((kind) => kindPermissions[kind]),
    ...(features.configTracking ? configMapPermissions : []),
    ...(features.configTracking && features.takeOver ? [takeOverPermissions.configMaps] : []),
    ...features.scalers.flatMap((kind) => scalerPermissions[kind]),
    ...features.companions.flatMap((kind) => companionPermissions[kind]),
    ...features.metricBackends.flatMap((backend) => metricsPermissions[backend]),
    ...features.providers.flatMap(providerPermissions),
  ]);
}

/** Only those on Secrets, which can have a role of their own. */
export function secretPermissionsFor({
  configTracking,
  takeOver,
  secretsMode,
  secretsNames,
  secretsReferences,
}: Pick<Features, 'configTracking' | 'takeOver' | 'secretsMode' | 'secretsNames' | 'secretsReferences'>): Permission[] {
  const mode = configTracking ? secretsMode : 'off';
  if (mode === 'off' && !secretsReferences) return [];
  const patch = takeOver && mode !== 'off' ? [takeOverPermissions.secrets] : [];
  if (secretsNames.length === 0) return [...secretPermissions[mode], ...patch];
  const { sources, takenOver, copies } = namedSecretPermissions[mode];
  const limited = (permissions: readonly Permission[], names: readonly string[]) => permissions.map((one) => ({ ...one, names }));
  const primaries = secretsNames.map((name) => `${name}-primary`);
  return [...limited(sources, secretsNames), ...limited([...takenOver, ...patch], primaries), ...copies];
}

/** Providers share kinds: each rule once. */
function merged(permissions: readonly Permission[]): Permission[] {
  return [...new Map(permissions.map((each) => [`${each.group} ${each.resources} ${each.names} ${each.verbs}`, each])).values()];
}
