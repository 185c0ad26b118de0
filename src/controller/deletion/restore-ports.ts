import type { Canary } from '../../api/canary.ts';
import type { ServicePort, ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { names } from '../../api/names.ts';
import { readAll } from '../../kube/cluster.ts';
import { routerFor } from '../../routers/index.ts';
import { portKey, portsNamedIn } from '../../routers/ports.ts';
import type { Originals } from '../../workloads/anchor.ts';
import { workloadFor } from '../../workloads/index.ts';
import { appliedPorts } from '../adoption/apex-original.ts';
import type { DepsOf } from '../controller-deps.ts';
import { ownPorts } from '../objects/own-ports.ts';
import { isOurRoute } from '../objects/ownership.ts';

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
  const before = [...(recorded?.ports ?? []), ...appliedPorts(service)].map(portKey);
  const own = ownPorts(service);
  const live = specOf<ServiceSpec>(service).ports ?? [];
  if (before.length === 0) return undefined;
  const isAdded = (one: ServicePort) => own.includes(portKey(one)) && !before.includes(portKey(one));
  const isNeeded = ({ port, name }: ServicePort) => needed.has(port) || (name !== undefined && needed.has(name));
  const kept = live.filter((one) => !isAdded(one) || isNeeded(one));
  return kept.length > 0 && kept.length < live.length ? kept : undefined;
}
