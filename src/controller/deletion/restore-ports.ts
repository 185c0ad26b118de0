import type { Canary } from '../../api/canary.ts';
import type { ServicePort, ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { fieldManager, names } from '../../api/names.ts';
import { readAll } from '../../kube/cluster.ts';
import { entriesOf } from '../../kube/taken-over-fields.ts';
import { routerFor } from '../../routers/index.ts';
import type { Originals } from '../../workloads/anchor.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { DepsOf } from '../controller-deps.ts';
import { isOurRoute } from '../objects/ownership.ts';
import { appliedPorts } from './restore-apex.ts';

/**
 * Takes from a Service found in place the ports that we added to it, once routes no longer need them. A port that an object of the user or a
 * route that stays leads to is not taken.
 */
export async function restorePorts(
  canary: Canary,
  recorded: Originals['apexService'],
  { cluster, config, signal }: DepsOf<'cluster' | 'config'>,
): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload || !workload.hasPods) return;
  const ref = { apiVersion: 'v1', kind: 'Service', name: names(canary).apexService, namespace: canary.metadata.namespace };
  const service = await cluster.get(ref, { signal });
  if (!service || portsWithoutOurs(service, recorded, new Set()) === undefined) return;
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  const routes = 'unsupported' in router ? [] : await readAll(router.watches(canary), cluster, signal);
  const left = routes.filter(
    (object) => 'unsupported' in router || !isOurRoute(canary, object, config) || router.afterDeletion(canary, object) === 'stays',
  );
  const ports = portsWithoutOurs(service, recorded, portsNamedIn(left));
  const { resourceVersion } = service.metadata;
  if (ports) await cluster.patch(ref, { metadata: { resourceVersion }, spec: { ports } }, { signal });
}

/** The ports of a Service except our own, `undefined` if it has none, or if the user's own are unknown. */
export function portsWithoutOurs(
  service: KubeObject,
  recorded: Originals['apexService'],
  needed: ReadonlySet<number | string>,
): ServicePort[] | undefined {
  const before = [...(recorded?.ports ?? []), ...appliedPorts(service)].map(keyOf);
  const live = specOf<ServiceSpec>(service).ports ?? [];
  if (before.length === 0) return undefined;
  const isAdded = (one: ServicePort) => {
    const managers = managersOf(service, one);
    return !before.includes(keyOf(one)) && managers.length > 0 && managers.every((manager) => manager === fieldManager);
  };
  const isNeeded = ({ port, name }: ServicePort) => needed.has(port) || (name !== undefined && needed.has(name));
  const kept = live.filter((one) => !isAdded(one) || isNeeded(one));
  return kept.length > 0 && kept.length < live.length ? kept : undefined;
}

const keyOf = ({ port, protocol = 'TCP' }: { port: number; protocol?: unknown }): string => `${port}/${protocol}`;

/** Writers of a port, by the server's record of it. */
function managersOf(service: KubeObject, one: ServicePort): string[] {
  return entriesOf(service).flatMap(({ manager = '', fieldsV1 }) => {
    const ports = (fieldsV1 as { 'f:spec'?: { 'f:ports'?: Record<string, unknown> } } | undefined)?.['f:spec']?.['f:ports'] ?? {};
    const key = JSON.stringify({ port: one.port, protocol: one.protocol ?? 'TCP' });
    return `k:${key}` in ports ? [manager] : [];
  });
}

/** Numbers and names anywhere under a field for a port. */
function portsNamedIn(objects: readonly KubeObject[]): Set<number | string> {
  const found = new Set<number | string>();
  const collect = (value: unknown, isPort: boolean): void => {
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) collect(inner, isPort || /port/i.test(key));
    else if (isPort && (typeof value === 'number' || typeof value === 'string')) found.add(value);
  };
  for (const { spec } of objects) collect(spec, false);
  return found;
}
