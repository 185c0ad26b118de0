import type { Canary } from '../api/canary.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../api/kube-object.ts';
import { names, ownerAnnotation } from '../api/names.ts';
import { weight } from '../api/routes.ts';
import type { Clock } from '../kube/clock.ts';
import { sleep } from '../kube/clock.ts';
import type { Cluster } from '../kube/cluster.ts';
import { findObject } from '../routers/find-object.ts';
import { type Apex, type Change, RoutingError, routerFor } from '../routers/index.ts';
import type { Router } from '../routers/router.ts';
import { discoverPorts } from '../routers/services.ts';
import { type Originals, readAnchor } from '../workloads/anchor.ts';
import { workloadFor } from '../workloads/index.ts';
import type { ReplicaLimits } from '../workloads/scalers/index.ts';
import type { Anchors } from './anchors.ts';
import { apexGivenBack, apexMoved } from './apex-given-back.ts';
import { facesOf } from './canary-faces.ts';
import type { ClusterView } from './cluster-view.ts';
import type { ControllerConfig } from './config.ts';
import { scaleDownDelayMs } from './config.ts';
import type { Log } from './controller-room.ts';
import { wakeScalers } from './departing-scalers.ts';
import { missingField } from './drift.ts';
import { intervalMs, primaryRefOf, targetRefOf } from './gather-facts.ts';
import { isCollected } from './ownership.ts';
import { takeOver } from './take-over.ts';

const LONGEST_WAIT_MS = 600_000;
/** Times that a target may fall again before all of it is begun anew. */
const MOST_ROUNDS = 5;

export interface DepartureRoom {
  cluster: Cluster;
  view: ClusterView;
  config: ControllerConfig;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  anchors: Anchors;
  /** The Canary itself is still there, held by its finalizer. */
  isHeld: boolean;
  /** A Canary made again under the same name has taken over: what is under way ends. */
  isInherited(): boolean;
}

/**
 * Gives the application back to its own Deployment when its Canary is gone (I7): the target is raised and ready before traffic leaves the
 * primary, proxies have time to learn of it, and only then the anchor goes, with which the garbage collector removes what we made.
 * Every step looks before it writes, so that it can be run again from the start after a crash. A target that is deleted, before or
 * meanwhile, leaves all traffic on the primary, which goes on serving.
 */
export async function depart(canary: Canary, room: DepartureRoom): Promise<void> {
  const { cluster, config, clock, log, signal } = room;
  const { namespace } = canary.metadata;
  const label = `${namespace}/${canary.metadata.name}`;
  const anchorRef: ObjectRef = { apiVersion: 'apps/v1', kind: 'ControllerRevision', name: names(canary).anchor, namespace };
  const home = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, { signal });
  if (!home || home.metadata.deletionTimestamp !== undefined) return removeFromAfar(canary, room);
  if (room.isHeld) await inherit(canary, room);
  const anchor = await cluster.get(anchorRef, { signal });
  const originals = anchor && readAnchor(anchor);
  if (!anchor || !originals) return;
  const delayMs = scaleDownDelayMs(config, intervalMs(canary, config));
  const settle = async (): Promise<void> => {
    const limits = await wakeScalers(canary, room);
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const target = await findTarget(canary, room);
      if (!target || room.isInherited()) return;
      await raise(canary, target, originals.target.replicas, limits, room);
      await sleep(clock, delayMs, signal);
      if (isUp(canary, room.view.find(targetRefOf(canary))?.object)) return;
    }
    throw new Error(`${canary.spec.targetRef.name} does not stay ready: traffic stays on its primary`);
  };
  const steps = [
    // Proxies hear of ready pods as late as of routes, pods that were just sent away count as available for a moment, and a scaler takes
    // away what has no load yet: traffic follows when the target was up before and after that time.
    settle,
    async (target: KubeObject) => {
      for (const face of await facesOf(canary, target, originals, room))
        await moveTraffic(face, target, { side: 'target', originals }, room);
    },
    () => sleep(clock, delayMs, signal),
    async (target: KubeObject) => {
      for (const face of await facesOf(canary, target, originals, room)) await finalizeRoutes(face, delayMs, room);
    },
    (target: KubeObject) => restoreTarget(canary, target, originals.target, room),
  ];
  log.info({ canary: label }, 'giving the application back to its target');
  for (const step of steps) {
    const target = await findTarget(canary, room);
    if (room.isInherited()) return;
    if (!target) return stayOnPrimary(canary, room);
    await step(target);
  }
  if (!(await findTarget(canary, room))) return stayOnPrimary(canary, room);
  if (room.isInherited()) return;
  await cluster.delete(anchorRef, { signal, propagationPolicy: 'Background' });
  log.info({ canary: label }, 'the application is on its own Deployment again');
}

/** What the established controller made would go with the Canary, before the target serves: it gets an anchor first (phase Terminating). */
async function inherit(canary: Canary, room: DepartureRoom): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  const router = routerFor(canary.spec.provider ?? room.config.meshProvider, room.config);
  if ('unsupported' in workload || 'unsupported' in router) return;
  await Promise.all([...workload.watches(canary), ...router.watches(canary)].map((ref) => room.view.ready(ref)));
  await takeOver(canary, workload, router, room);
}

async function findTarget(canary: Canary, { cluster, signal }: DepartureRoom): Promise<KubeObject | undefined> {
  const target = await cluster.get(targetRefOf(canary), { signal });
  return target?.metadata.deletionTimestamp === undefined ? target : undefined;
}

/** The target is gone: the primary goes on serving, with the part of the traffic that the release had taken from it. */
async function stayOnPrimary(canary: Canary, room: DepartureRoom): Promise<void> {
  const { cluster, log, signal } = room;
  const primary = await cluster.get(primaryRefOf(canary), { signal });
  if (!primary) return;
  await moveTraffic(canary, primary, { side: 'primary' }, room);
  log.info({ canary: `${canary.metadata.namespace}/${canary.metadata.name}` }, 'the target is gone: its primary goes on serving');
}

/**
 * Brings the target to the pods that the primary serves with, and waits until they are ready. A target that runs already is left as it
 * is, unless a scaler has sized it for less than the whole load (E60).
 */
async function raise(
  canary: Canary,
  target: KubeObject,
  original: number,
  limits: ReplicaLimits | undefined,
  { cluster, view, clock, signal }: DepartureRoom,
): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload) return;
  const ref = targetRefOf(canary);
  const primary = await cluster.get(primaryRefOf(canary), { signal });
  const needed = Math.min((primary && workload.replicas(primary)) || original || 1, limits?.max ?? Number.POSITIVE_INFINITY);
  if (workload.replicas(target) === 0 || (limits && workload.replicas(target) < needed)) {
    const leavingMs = workload.leavingForMs?.(target);
    if (leavingMs !== undefined) {
      const areGone = (now: KubeObject) => workload.replicas(now) === 0 && workload.leavingForMs?.(now) === undefined;
      const late = `pods of ${ref.name} are still leaving`;
      const gone = view.until(ref, (now) => now === undefined || areGone(now), { clock, boundMs: 2 * leavingMs, signal, late });
      // A lost node never lets its pod go: after its time the target is raised all the same.
      await Promise.race([gone, sleep(clock, leavingMs, signal)]);
    }
    const scale = workload.scalePatch(view.find(ref)?.object ?? target, needed);
    if (scale) await cluster.patch(ref, scale.patch, { ...(scale.subresource && { subresource: scale.subresource }), signal });
  }
  const late = `${ref.name} does not become ready: traffic stays on its primary`;
  await view.until(ref, (now) => now === undefined || isUp(canary, now), { clock, boundMs: LONGEST_WAIT_MS, signal, late });
  // Gone, or out of our sight: the next attempt looks again, and until then traffic stays where it is served.
  if (view.find(ref) === undefined) throw new Error(`${ref.name} cannot be seen any more: traffic stays on its primary`);
}

function isUp(canary: Canary, target: KubeObject | undefined): boolean {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload || !target) return true;
  return workload.replicas(target) > 0 && workload.readiness(target, 100).state === 'ready';
}

/** What we put into the target itself is taken out of it, traffic included where it is the target that holds it. */
async function restoreTarget(
  canary: Canary,
  target: KubeObject,
  originals: Originals['target'],
  { cluster, signal }: DepartureRoom,
): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  const patch = 'unsupported' in workload ? undefined : workload.restorePatch?.(target, originals);
  if (patch) await cluster.patch(targetRefOf(canary), patch, { signal });
}

/** All traffic to one side, whose workload is `found`; what holds it already is not written again. */
async function moveTraffic(
  canary: Canary,
  found: KubeObject,
  { side, originals }: { side: 'target'; originals: Originals } | { side: 'primary'; originals?: undefined },
  { cluster, config, signal }: DepartureRoom,
): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  // A target that answers under the apex name has its traffic back when the routes are finalized.
  if ('unsupported' in workload || (!workload.hasPods && side === 'target')) return;
  const own = workload.selector(found, config.selectorLabels);
  if ('problem' in own) throw new Error(own.problem);
  const selector = side === 'target' ? own : { ...own, value: own.value.replace(/-primary$/, '') };
  const apex: Apex = { selector, ports: discoverPorts(canary, found) };
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  if (!('unsupported' in router) && router.supports.weights) {
    const current = await readAll(router.watches(canary), cluster, signal);
    const routes = { kind: 'weighted', canary: weight(side === 'target' ? 100 : 0) } as const;
    const write = current.length > 0 ? renderedIfPossible(() => router.render(canary, apex, routes, current)) : [];
    for (const object of write) {
      const live = findObject(current, refOf(object));
      if (!live || missingField(object, live) !== undefined) await applyOver(object, live, { cluster, signal });
    }
  }
  if (!workload.hasPods) return;
  const name = names(canary).apexService;
  const apexRef = { apiVersion: 'v1', kind: 'Service', name, namespace: canary.metadata.namespace };
  const service = await cluster.get(apexRef, { signal });
  // Recorded of the name that the Canary began with.
  const isFirst = !originals?.canary || names(originals.canary).apexService === name;
  const patch =
    service && (originals ? apexGivenBack(service, found, own, isFirst ? originals.apexService : undefined) : apexMoved(service, own));
  if (!patch) return;
  const metadata = { ...patch.metadata, resourceVersion: service.metadata.resourceVersion };
  await cluster.patch(apexRef, { ...patch, metadata }, { signal });
}

/** Where the provider has nothing left that could hold a route of ours (its Ingress is gone), none is in the way either. */
function renderedIfPossible(render: () => Change): readonly KubeObject[] {
  try {
    return render().write;
  } catch (error) {
    if (error instanceof RoutingError) return [];
    throw error;
  }
}

/** What was found in place is put back, what we made goes; proxies hear of it before the Services that it names are collected. */
async function finalizeRoutes(canary: Canary, delayMs: number, { cluster, config, clock, signal }: DepartureRoom): Promise<void> {
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  if ('unsupported' in router) return;
  const wrote = await giveRoutesBack(canary, router, router.watches(canary), { cluster, config, signal });
  if (wrote) await sleep(clock, delayMs, signal);
}

/** Of a namespace that goes, the rest goes by itself: what lies elsewhere would stay, and lead to Services that are gone (R-L3). */
async function removeFromAfar(canary: Canary, { cluster, config, signal }: DepartureRoom): Promise<void> {
  const router = routerFor(canary.spec.provider ?? config.meshProvider);
  if ('unsupported' in router) return;
  const afar = router.watches(canary).filter((ref) => !isCollected(ref, config));
  if (afar.length > 0) await giveRoutesBack(canary, router, afar, { cluster, config, signal });
}

/** Finalizes the routes among these refs; what we made and no garbage collector takes goes by our own hand. True when it wrote. */
async function giveRoutesBack(
  canary: Canary,
  router: Router,
  refs: readonly ObjectRef[],
  { cluster, config, signal }: Pick<DepartureRoom, 'cluster' | 'config' | 'signal'>,
): Promise<boolean> {
  const current = await readAll(refs, cluster, signal);
  const { write, remove } = router.finalize(canary, current);
  // Marked for this Canary, or for one of its name that it has taken over from.
  const isMade = ({ metadata }: KubeObject) => metadata.annotations?.[ownerAnnotation] !== undefined;
  const stranded = current.filter((object) => !isCollected(refOf(object), config) && isMade(object)).map(refOf);
  const gone = [...remove, ...stranded].map(refKey);
  for (const object of write) {
    if (gone.includes(refKey(refOf(object)))) continue;
    await applyOver(object, findObject(current, refOf(object)), { cluster, signal });
  }
  for (const ref of [...remove, ...stranded]) await cluster.delete(ref, { signal });
  return write.length + gone.length > 0;
}

/**
 * Writes over the version that it was computed from: a late write undoes nothing of a successor (I9). What is ours stays ours, so that it
 * goes with the anchor.
 */
async function applyOver(object: KubeObject, live: KubeObject | undefined, { cluster, signal }: Pick<DepartureRoom, 'cluster' | 'signal'>) {
  const { resourceVersion, annotations, ownerReferences } = live?.metadata ?? {};
  const mark = annotations?.[ownerAnnotation];
  const metadata = {
    ...object.metadata,
    ...(mark === undefined ? {} : { annotations: { ...object.metadata.annotations, [ownerAnnotation]: mark } }),
    ...(mark === undefined || ownerReferences === undefined ? {} : { ownerReferences }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  await cluster.apply({ ...object, metadata }, { signal });
}

async function readAll(refs: readonly ObjectRef[], cluster: Cluster, signal: AbortSignal): Promise<KubeObject[]> {
  return (await Promise.all(refs.map((ref) => cluster.get(ref, { signal })))).flatMap((object) => object ?? []);
}
