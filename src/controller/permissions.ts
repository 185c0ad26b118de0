import { type Provider, providers } from '../api/canary.ts';
import type { Permission } from '../api/permission.ts';
import { eventPermissions } from '../kube/permissions.ts';
import { metricsPermissions } from '../metrics/permissions.ts';
import { routerPermissions, servicePermissions } from '../routers/permissions.ts';
import type { SecretsMode } from '../workloads/configs/read-configs.ts';
import {
  configMapPermissions,
  knativePermissions,
  scalerPermissions,
  secretPermissions,
  workloadPermissions,
} from '../workloads/permissions.ts';

/** What is switched on, and so needs permission. */
export interface Features {
  providers: readonly Provider[];
  configTracking: boolean;
  secretsMode: SecretsMode;
  scalers: readonly (keyof typeof scalerPermissions)[];
  metricBackends: readonly (keyof typeof metricsPermissions)[];
}

/** Needed whatever is switched on. */
export const corePermissions: readonly Permission[] = [
  {
    group: 'flagger.app',
    resources: ['canaries'],
    verbs: ['get', 'list', 'watch', 'patch'],
    purpose: 'Canaries; patch is for the finalizer',
  },
  { group: 'flagger.app', resources: ['canaries/status'], verbs: ['patch'], purpose: 'their status' },
  { group: 'flagger.app', resources: ['metrictemplates'], verbs: ['list', 'watch'], purpose: 'checks' },
  { group: 'flagger.app', resources: ['alertproviders'], verbs: ['get'], purpose: 'alerts' },
  {
    group: 'flagger.app',
    resources: ['metrictemplates/status', 'alertproviders/status'],
    verbs: ['patch'],
    purpose: 'conditions that say whether they work; without it all goes on, and they are not written',
  },
  ...workloadPermissions,
  ...servicePermissions,
  ...eventPermissions,
  { group: '', resources: ['namespaces'], verbs: ['get'], purpose: 'whether the namespace of a deleted Canary is going, too' },
];

/** Of one provider: its routes, and where it has a kind of target of its own, that. */
export function providerPermissions(provider: Provider): readonly Permission[] {
  return provider === 'knative' ? knativePermissions : routerPermissions[provider];
}

/** Every part that can be switched, by the name of the chart's value. */
export const switchedPermissions = {
  configTracking: { enabled: configMapPermissions },
  secrets: secretPermissions,
  scalers: scalerPermissions,
  metricBackends: metricsPermissions,
  providers: Object.fromEntries(providers.map((provider) => [provider, providerPermissions(provider)])),
} satisfies Record<string, Readonly<Record<string, readonly Permission[]>>>;

/** The rules of a role that is enough for these features, and grants nothing else; the lease has a role of its own. */
export function permissionsFor(features: Features): Permission[] {
  return merged([
    ...corePermissions,
    ...(features.configTracking ? configMapPermissions : []),
    ...secretPermissions[features.configTracking ? features.secretsMode : 'off'],
    ...features.scalers.flatMap((kind) => scalerPermissions[kind]),
    ...features.metricBackends.flatMap((backend) => metricsPermissions[backend]),
    ...features.providers.flatMap(providerPermissions),
  ]);
}

/** Providers share kinds: each rule once. */
function merged(permissions: readonly Permission[]): Permission[] {
  return [...new Map(permissions.map((each) => [`${each.group} ${each.resources} ${each.verbs}`, each])).values()];
}
