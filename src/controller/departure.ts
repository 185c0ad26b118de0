import type { Canary, Provider } from '../api/canary.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import { weight } from '../api/routes.ts';
import type { Clock } from '../kube/clock.ts';
import { sleep } from '../kube/clock.ts';
import type { Cluster } from '../kube/cluster.ts';
import { type Apex, routerFor } from '../routers/index.ts';
import { discoverPorts } from '../routers/services.ts';
import { readAnchor } from '../workloads/anchor.ts';
import { workloadFor } from '../workloads/index.ts';
import type { ClusterView } from './cluster-view.ts';
import type { ControllerConfig } from './config.ts';
import { scaleDownDelayMs } from './config.ts';
import type { Log } from './controller-room.ts';
import { intervalMs, primaryRefOf, targetRefOf } from './gather-facts.ts';

const LONGEST_WAIT_MS = 600_000;

export interface DepartureRoom {
  cluster: Cluster;
  view: ClusterView;
  config: ControllerConfig;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

/**
 * Gives the application back to its own Deployment when its Canary is gone (I7): the target is raised and ready before traffic leaves the
 * primary, proxies have time to learn of it, and only then the anchor goes, with which the garbage collector removes what we made.
 * Every step looks before it writes, so that it can be run again from the start after a crash. A deleted target keeps its primary.
 */
export async function depart(canary: Canary, { cluster, view, config, clock, log, signal }: DepartureRoom): Promise<void> {
  const { namespace } = canary.metadata;
  const label = `${namespace}/${canary.metadata.name}`;
  const anchorRef: ObjectRef = { apiVersion: 'apps/v1', kind: 'ControllerRevision', name: names(canary).anchor, namespace };
  const anchor = await cluster.get(anchorRef, { signal });
  const originals = anchor && readAnchor(anchor);
  if (!anchor || !originals || originals.canaryUid !== canary.metadata.uid) return;
  const home = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, { signal });
  if (!home || home.metadata.deletionTimestamp !== undefined) return;
  const target = await cluster.get(targetRefOf(canary), { signal });
  if (!target || target.metadata.deletionTimestamp !== undefined) {
    log.info({ canary: label }, 'the target is gone: its primary goes on serving');
    return;
  }
  log.info({ canary: label }, 'giving the application back to its target');
  await raise(canary, target, originals.target.replicas, { cluster, view, clock, signal });
  const delayMs = scaleDownDelayMs(config, intervalMs(canary, config));
  // Proxies hear of ready pods as late as of routes: traffic follows when all of them know where the target is.
  await sleep(clock, delayMs, signal);
  await moveTraffic(canary, target, { cluster, config, clock, signal, delayMs });
  await cluster.delete(anchorRef, { signal, propagationPolicy: 'Background' });
  log.info({ canary: label }, 'the application is on its own Deployment again');
}

async function raise(
  canary: Canary,
  target: KubeObject,
  original: number,
  { cluster, view, clock, signal }: Pick<DepartureRoom, 'cluster' | 'view' | 'clock' | 'signal'>,
): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return;
  const ref = targetRefOf(canary);
  const primary = await cluster.get(primaryRefOf(canary), { signal });
  if (workload.replicas(target) === 0) {
    const scale = workload.scalePatch(target, (primary && workload.replicas(primary)) || original || 1);
    if (scale) await cluster.patch(ref, scale.patch, { ...(scale.subresource && { subresource: scale.subresource }), signal });
  }
  const isUp = (now: KubeObject) => workload.replicas(now) > 0 && workload.readiness(now, 100).state === 'ready';
  const late = `${ref.name} does not become ready: traffic stays on its primary`;
  await view.until(ref, (now) => now === undefined || isUp(now), { clock, boundMs: LONGEST_WAIT_MS, signal, late });
  // Gone, or out of our sight: the next attempt looks again, and until then traffic stays where it is served.
  if (view.find(ref) === undefined) throw new Error(`${ref.name} cannot be seen any more: traffic stays on its primary`);
}

async function moveTraffic(
  canary: Canary,
  target: KubeObject,
  {
    cluster,
    config,
    clock,
    signal,
    delayMs,
  }: { cluster: Cluster; config: ControllerConfig; clock: Clock; signal: AbortSignal; delayMs: number },
): Promise<void> {
  const { namespace } = canary.metadata;
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return;
  const selector = workload.selector(target, config.selectorLabels);
  if ('problem' in selector) throw new Error(selector.problem);
  const apex: Apex = { selector, ports: discoverPorts(canary, target) };
  const provider: Provider = canary.spec.provider ?? config.meshProvider;
  const router = routerFor(provider);
  const read = async (refs: readonly ObjectRef[]) =>
    (await Promise.all(refs.map((ref) => cluster.get(ref, { signal })))).flatMap((o) => o ?? []);
  if (!('unsupported' in router) && router.supports.weights) {
    const current = await read(router.watches(canary));
    if (current.length > 0) {
      const { write } = router.render(canary, apex, { kind: 'weighted', canary: weight(100) }, current);
      for (const object of write) await cluster.apply(object, { signal });
    }
  }
  const apexRef = { apiVersion: 'v1', kind: 'Service', name: names(canary).apexService, namespace };
  const service = await cluster.get(apexRef, { signal });
  if (service) {
    // The apex is what clients call: it outlives the Canary, so it loses the owner that would take it along.
    const metadata = { resourceVersion: service.metadata.resourceVersion, ownerReferences: null };
    await cluster.patch(apexRef, { metadata, spec: { selector: { [selector.key]: selector.value } } }, { signal });
  }
  await sleep(clock, delayMs, signal);
  if ('unsupported' in router) return;
  const { write, remove } = router.finalize(canary, await read(router.watches(canary)));
  for (const object of write) await cluster.apply(object, { signal });
  for (const ref of remove) await cluster.delete(ref, { signal });
  if (write.length + remove.length > 0) await sleep(clock, delayMs, signal);
}
