import type { Canary } from '../api/canary.ts';
import type { ServiceSpec } from '../api/kinds/service.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import type { KubeObject, Labels } from '../api/kube-object.ts';
import { fluxOff, names } from '../api/names.ts';
import { trafficFieldsFor } from '../api/service-traffic.ts';
import type { Apex } from './router.ts';
import { isMade, termsFor } from './service-terms.ts';

export { discoverPorts } from './ports.ts';
export { isMade } from './service-terms.ts';

export interface CurrentServices {
  apex?: KubeObject;
  primary?: KubeObject;
  canary?: KubeObject;
}

export type ServiceRole = keyof CurrentServices;
type Metadata = { labels?: Labels | undefined; annotations?: Labels | undefined };

/**
 * The ClusterIP Services, as server-side applies of the fields that we own: fields that are not written here (node ports, IP families,
 * foreign metadata) stay unmodified. While `apexOnPrimary` is false the apex Service is only created if it does not exist, on the target's pods; an existing
 * one is not touched (I5). `roles`: the roles to render, by default all; an error can be of any.
 */
export function renderServices(
  canary: Canary,
  apex: Apex,
  current: CurrentServices,
  options: { apexOnPrimary: boolean; roles?: readonly ServiceRole[] },
): { write: KubeObject[] } | { error: string } {
  const { key, target, primary } = apex.selector;
  // Other workloads can have the label that tells the sides apart.
  const { whole: onTarget = { [key]: target }, wholePrimary: onPrimary = { [key]: primary } } = apex.selector;
  const write: KubeObject[] = [];
  const wanted: Array<[ServiceRole, Labels] | undefined> = [
    ['canary', onTarget],
    ['primary', onPrimary],
    options.apexOnPrimary ? ['apex', onPrimary] : current.apex ? undefined : ['apex', onTarget],
  ];
  for (const entry of wanted) {
    if (!entry) continue;
    const [role, selector] = entry;
    const error = headlessChange(canary, current[role]);
    if (error) return { error };
    if (options.roles?.includes(role) === false) continue;
    write.push(renderService(canary, apex, role, selector, current));
  }
  return { write };
}

function renderService(canary: Canary, apex: Apex, role: ServiceRole, selector: Labels, found: CurrentServices): KubeObject {
  const { headless, unmanagedMetadata, ...service } = canary.spec.service;
  const name = serviceName(canary, role);
  const metadata: Metadata = service[role] ?? {};
  // A Service of another type that was found in place keeps it.
  const type = specOf<ServiceSpec>(found[role]).type ?? 'ClusterIP';
  const terms = role === 'apex' ? undefined : termsFor(canary, role, found.apex, found[role]);
  // Monitors may find a Service that was found in place by it.
  const isFound = role === 'apex' && found.apex !== undefined && !isMade(found.apex);
  const ownLabel = isFound ? found.apex?.metadata.labels?.[apex.selector.key] : undefined;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: canary.metadata.namespace,
      labels: without({ ...terms?.labels, ...metadata.labels, [apex.selector.key]: ownLabel ?? name }, unmanagedMetadata?.labels),
      annotations: without({ ...terms?.annotations, ...metadata.annotations, ...fluxOff }, unmanagedMetadata?.annotations),
    },
    spec: {
      ...(type === 'ClusterIP' ? { type } : {}),
      ...(headless ? { clusterIP: 'None' } : {}),
      ...terms?.traffic,
      ...trafficFieldsFor(service, type),
      selector,
      ports: apex.ports.map(({ name, port, targetPort, protocol, appProtocol }) => ({
        ...(name === '' ? {} : { name }),
        protocol,
        port,
        targetPort,
        ...(appProtocol === undefined ? {} : { appProtocol }),
      })),
    },
  };
}

function serviceName(canary: Canary, role: ServiceRole): string {
  const { apexService, primaryService, canaryService } = names(canary);
  return { apex: apexService, primary: primaryService, canary: canaryService }[role];
}

/** `clusterIP` cannot be changed on the server; a headless Service of the user's can stay headless. */
export function headlessChange(canary: Canary, current: KubeObject | undefined): string | undefined {
  if (!current) return undefined;
  const { name } = current.metadata;
  const isHeadless = specOf<ServiceSpec>(current).clusterIP === 'None';
  const isWanted = canary.spec.service.headless === true;
  if (isWanted === isHeadless || (isHeadless && !isMade(current))) return undefined;
  return `Service ${name} is ${isHeadless ? '' : 'not '}headless and that cannot be changed: delete it, or set service.headless to ${isHeadless}`;
}

function without(map: Labels, keys: readonly string[] | undefined): Labels {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys?.includes(key)));
}
