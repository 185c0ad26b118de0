import type { Canary } from '../../api/canary.ts';
import { DEFAULT_MESH_PROVIDER, providerOf } from '../../api/mesh-provider.ts';
import type { MetricTemplateSpec } from '../../api/metric-template.ts';
import { names } from '../../api/names.ts';
import { inNamespace, type Permission, type RbacVerb } from '../../api/permission.ts';
import { arrivalPermissions } from '../../arrival/kinds.ts';
import { canaryPermissions, dashboardPermissions, providerPermissions, referencePermissions } from '../../controller/permissions.ts';
import { metricsPermissions } from '../../metrics/permissions.ts';
import { readKeptnQuery } from '../../metrics/providers/keptn-query.ts';
import { type RouteKind, routeKindOf } from '../../routers/gateway-api/route-kind.ts';
import { meshGroups } from '../../routers/mesh-kinds.ts';
import { servicePermissions } from '../../routers/permissions.ts';
import { workloadFor } from '../../workloads/index.ts';
import {
  companionPermissions,
  kindPermissions,
  scalerPermissions,
  secretPermissions,
  workloadPermissions,
} from '../../workloads/permissions.ts';
import { apiGroupOf, findItem } from '../validate/manifests.ts';
import { configNeeds } from './config-needs.ts';
import type { Inventory, PlacedItem, RightsProblem } from './inventory.ts';
import { type Need, needs } from './need.ts';
import type { RightsSettings } from './settings.ts';

/** Rules that the Canaries of the files need, and problems that keep one from being known. */
export interface Used {
  needs: readonly Need[];
  problems: readonly RightsProblem[];
}

/** Everything that the controller does for these Canaries. */
export function usedBy(inventory: Inventory, settings: RightsSettings): Used {
  const { namespaces } = settings.config;
  const problems: RightsProblem[] = [];
  const found = inventory.canaries.flatMap((one): Need[] => {
    const { canary, item, namespace } = one;
    if (!isLookedAfter(namespace, settings)) {
      problems.push({
        item,
        path: 'metadata.namespace',
        message: `is not a namespace that Serin looks after (${namespaces.join(', ')}): add it there, or leave the file out`,
      });
      return [];
    }
    return [...ownNeeds(one, inventory, settings), ...referenceNeeds(canary, one, inventory, { settings, problems })];
  });
  return { needs: found, problems };
}

const isLookedAfter = (namespace: string, { config: { namespaces } }: RightsSettings): boolean =>
  namespaces.length === 0 || namespaces.includes(namespace);

/** Needs of the Canary by itself, and of its target. */
function ownNeeds(
  { canary, item, namespace, secretRefs }: Inventory['canaries'][number],
  { items }: Inventory,
  settings: RightsSettings,
): Need[] {
  const { config, dashboard, remoteRoutes } = settings;
  const { targetRef, autoscalerRef } = canary.spec;
  const by = `Canary ${namespace}/${item.name}`;
  const of = (permissions: readonly Permission[], what = ''): Need[] =>
    needs(namespace, permissions, what === '' ? by : `${what} of ${by}`);
  const provider = providerOf(canary.spec.provider ?? config.meshProvider ?? DEFAULT_MESH_PROVIDER);
  const ofProvider = providerPermissions(provider).filter(({ group }) => !remoteRoutes || !meshGroups.has(group));
  const routes = ofProvider.flatMap((permission) => routesAsUsed(permission, canary));
  const workload = workloadFor(targetRef);
  const isKnown = !('unsupported' in workload);
  const { apiVersion, kind, name } = targetRef;
  const target = findItem({ items }, { kind, group: apiGroupOf({ apiVersion }), name, namespace })?.object;
  return [
    ...of(canaryPermissions),
    // A Knative Service serves by itself: the Service of the same name is only read.
    ...of(provider === 'knative' ? servicePermissions.map(readOnly) : [...servicePermissions, ...workloadPermissions]),
    ...(isKnown && workload.hasPods ? of(arrivalPermissions) : []),
    ...(isKnown && workload.hasPods && kind !== 'Service' ? of(kindPermissions[kind], `target ${kind}/${name}`) : []),
    ...of(routes, `provider ${provider}`),
    ...(autoscalerRef
      ? [
          ...of(scalerPermissions[autoscalerRef.kind], `${autoscalerRef.kind} ${autoscalerRef.name}`),
          ...of(otherScalers(autoscalerRef.kind)),
        ]
      : []),
    ...(isKnown && workload.hasPods ? config.companions.flatMap((companion) => of(companionPermissions[companion])) : []),
    ...(isKnown ? configNeeds({ namespace, workload, object: target, by }, settings) : []),
    ...(dashboard ? of(dashboardPermissions.views) : []),
    ...secretNeeds({ namespace, item, secretRefs }, by),
  ];
}

/** Routes of the Gateway API, and what is left of their rule where a Canary uses the other kind. */
const UNUSED_ROUTES: readonly { kind: RouteKind; resource: string; verbs: readonly RbacVerb[]; purpose: string }[] = [
  { kind: 'HTTPRoute', resource: 'httproutes', verbs: ['get', 'list', 'watch'], purpose: 'HTTPRoutes that lead to the application' },
  { kind: 'GRPCRoute', resource: 'grpcroutes', verbs: ['list'], purpose: 'GRPCRoutes that lead to the application' },
];

/**
 * A Canary writes routes of one kind, and only looks, as a release starts, whether those of the other lead to its application. The HTTPRoute that it had before
 * an edit to GRPCRoute goes on serving, and is written by its name.
 */
function routesAsUsed(permission: Permission, canary: Canary): Permission[] {
  if (!UNUSED_ROUTES.every(({ resource }) => permission.resources.includes(resource))) return [permission];
  const isUsed = (kind: RouteKind) => routeKindOf(canary, 'v1') === kind || canary.spec.routeRefs?.some((one) => one.kind === kind);
  const unused = UNUSED_ROUTES.filter(({ kind }) => !isUsed(kind));
  return [
    { ...permission, resources: permission.resources.filter((one) => !unused.some(({ resource }) => resource === one)) },
    ...unused.map(({ resource, verbs, purpose }) => ({ ...permission, resources: [resource], verbs, purpose })),
    ...(isUsed('HTTPRoute') ? [] : [formerRoute(permission, canary)]),
  ];
}

const formerRoute = (permission: Permission, canary: Canary): Permission => ({
  ...permission,
  ...{ resources: ['httproutes'], verbs: ['patch'], names: [names(canary).apexService] },
  purpose: 'the HTTPRoute from before an edit to GRPCRoute, until it is deleted by hand',
});

const readOnly = (permission: Permission): Permission => ({
  ...permission,
  verbs: permission.verbs.filter((verb) => ['get', 'list', 'watch'].includes(verb)),
});

/** When a Canary is deleted, the scalers of its target are looked at in each kind. */
function otherScalers(named: keyof typeof scalerPermissions): Permission[] {
  const purpose = 'scalers that an earlier autoscalerRef named, as the Canary is deleted';
  return Object.entries(scalerPermissions).flatMap(([kind, permissions]) =>
    kind === named ? [] : permissions.map((one) => inNamespace({ ...one, verbs: ['list'], purpose })),
  );
}

/** A Secret that a field names is read by its name. */
const secretNeeds = ({ namespace, secretRefs }: PlacedItem, by: string): Need[] =>
  secretRefs.flatMap(({ path, name }) =>
    needs(
      namespace,
      secretPermissions.off.map((one) => ({ ...one, names: [name] })),
      `${path} of ${by}`,
    ),
  );

interface Referring {
  settings: RightsSettings;
  problems: RightsProblem[];
}

/** Needs of the MetricTemplates and AlertProviders that a Canary names, in any namespace. */
function referenceNeeds(canary: Canary, { item, namespace }: PlacedItem, inventory: Inventory, { settings, problems }: Referring): Need[] {
  const { metrics = [], alerts = [] } = canary.spec.analysis;
  const missing = (path: string, kind: string, name: string) => {
    problems.push({ item, path, message: `${kind} ${name} is not among the files: add it, since its Secrets need rules` });
    return [];
  };
  const ofMetrics = metrics.flatMap(({ templateRef }, index): Need[] => {
    if (templateRef === undefined) return [];
    const { name, namespace: where = namespace } = templateRef;
    const path = `spec.analysis.metrics[${index}].templateRef`;
    if (!isLookedAfter(where, settings)) {
      problems.push({
        item,
        path: `${path}.namespace`,
        message: `${where} is not a namespace that Serin looks after: add it to namespaces, or use a MetricTemplate there`,
      });
      return [];
    }
    const template = placedAs(inventory.templates, name, where);
    if (template === undefined) return missing(path, 'MetricTemplate', `${where}/${name}`);
    const by = `MetricTemplate ${where}/${name}`;
    return [
      ...needs(where, [...referencePermissions.metricTemplates, ...backendPermissions(template.spec)], by),
      ...secretNeeds(template, by),
    ];
  });
  const ofAlerts = alerts.flatMap(({ providerRef }, index): Need[] => {
    const { name, namespace: where = namespace } = providerRef;
    const provider = placedAs(inventory.alertProviders, name, where);
    if (provider === undefined) return missing(`spec.analysis.alerts[${index}].providerRef`, 'AlertProvider', `${where}/${name}`);
    const by = `AlertProvider ${where}/${name}`;
    return [...needs(where, referencePermissions.alertProviders, by), ...secretNeeds(provider, by)];
  });
  return [...ofMetrics, ...ofAlerts];
}

const placedAs = <P extends PlacedItem>(all: readonly P[], name: string, namespace: string): P | undefined =>
  all.find((one) => one.item.name === name && one.namespace === namespace);

/** Permissions of backends that are queried through the API server; Keptn's two kinds of query need different resources. */
function backendPermissions({ provider: { type }, query }: MetricTemplateSpec): readonly Permission[] {
  if (type !== 'keptn') return type === 'externalmetrics' ? metricsPermissions.externalmetrics : [];
  const read = readKeptnQuery(query);
  if ('problem' in read) return metricsPermissions.keptn;
  const resource = read.kind === 'metric' ? 'keptnmetrics' : 'analyses';
  return metricsPermissions.keptn.filter(({ resources }) => resources.includes(resource));
}
