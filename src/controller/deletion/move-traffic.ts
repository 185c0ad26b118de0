import type { Canary } from '../../api/canary.ts';
import type { PodWorkloadSpec } from '../../api/kinds/pod-workload-spec.ts';
import type { ServiceSpec } from '../../api/kinds/service.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject, OwnerReference } from '../../api/kube-object.ts';
import { fieldManager, names, ownerAnnotation } from '../../api/names.ts';
import type { SelectedSides } from '../../api/selector-label.ts';
import { sleep } from '../../base/clock.ts';
import { entriesOf, type ManagedFieldsEntry } from '../../kube/taken-over-fields.ts';
import { INTRODUCED_FOR_MS, MOST_ANNOUNCEMENTS } from '../../routers/introduction.ts';
import type { Originals } from '../../workloads/anchor.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { Workload } from '../../workloads/workload.ts';
import { recordedApex } from '../adoption/apex-original.ts';
import type { DepsOf } from '../controller-deps.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';
import { onlyThese } from '../objects/whole-lists.ts';
import { announceRoutes, moveRoutes } from './move-routes.ts';
import { type ApexPatch, apexMovePatch, apexRestorePatch } from './restore-apex.ts';
import { moveFollowers } from './restore-followers.ts';

export type DeletionDeps = DepsOf<'cluster' | 'view' | 'config' | 'clock' | 'log'>;

type TrafficMove =
  | { side: 'target'; originals: Originals; anchor?: undefined }
  | { side: 'primary'; originals?: undefined; anchor: KubeObject };

/** All traffic to one side, whose workload is `found`; what holds it already is not written again. */
export async function moveTraffic(
  canary: Canary,
  found: KubeObject,
  { side, originals, anchor }: TrafficMove,
  deps: DeletionDeps,
): Promise<void> {
  const { cluster, view, config, clock, signal } = deps;
  const workload = workloadFor(canary.spec.targetRef);
  // A target that answers under the apex name has its traffic back when the routes are finalized.
  if ('unsupported' in workload || (!workload.hasPods && side === 'target')) return;
  const primary = view.find(primaryRefOf(canary))?.object;
  const selector = selectorsOf(workload, side === 'target' ? { target: found, primary } : { primary: found }, config);
  if ('problem' in selector) throw new Error(selector.problem);
  const { key } = selector;
  const own =
    side === 'target'
      ? { key, value: selector.target, whole: selector.whole }
      : { key, value: selector.primary, whole: selector.wholePrimary };
  const to = { found, selector, side };
  // A route that was put back leads to the apex Service meanwhile.
  const isAnnounced = (await announceRoutes(canary, to, deps)) !== 'nothing';
  if (!isAnnounced) await moveRoutes(canary, to, deps);
  if (workload.hasPods) {
    const apex = await patchApex(canary, { cluster, signal }, (service) =>
      originals
        ? apexRestorePatch(service, found, own, recordedApex(canary, originals))
        : apexMovePatch(service, own, ownerOfApex(service, anchor)),
    );
    if (apex) view.learn(apex);
    await moveFollowers(canary, selector, side, { cluster, view, signal });
  }
  if (!isAnnounced) return;
  await sleep(clock, INTRODUCED_FOR_MS, signal);
  // A tool that puts a route back meanwhile takes the announcement back.
  for (let times = 1; times < MOST_ANNOUNCEMENTS && (await announceRoutes(canary, to, deps)) === 'written'; times += 1)
    await sleep(clock, INTRODUCED_FOR_MS, signal);
  await moveRoutes(canary, to, deps);
}

/**
 * Labels of both sides. Where the target is selected by others than its primary, the primary's label still tells the pods apart if those of the target have
 * it with another value; else the target's own, since it is to serve without its primary.
 */
export function selectorsOf(workload: Workload, { target, primary }: SelectedSides, { selectorLabels }: DeletionDeps['config']) {
  const both = workload.selectors({ target, primary }, selectorLabels);
  if (!('problem' in both) || !target) return both;
  const held = workload.selectors({ primary }, selectorLabels);
  const own = 'problem' in held ? undefined : specOf<PodWorkloadSpec>(target).template?.metadata?.labels?.[held.key];
  if (!('problem' in held) && own !== undefined && own !== held.primary) return { ...held, target: own };
  return workload.selectors({ target }, selectorLabels);
}

/** Lets the Service of the canary side lead to a target that was created again with another label, before proxies hear of routes to it. */
export async function selectTarget(canary: Canary, target: KubeObject, { cluster, view, config, signal }: DeletionDeps): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload || !workload.hasPods) return;
  const own = selectorsOf(workload, { target, primary: view.find(primaryRefOf(canary))?.object }, config);
  if ('problem' in own) return;
  const ref = { apiVersion: 'v1', kind: 'Service', name: names(canary).canaryService, namespace: canary.metadata.namespace };
  const service = await cluster.get(ref, { signal });
  const live = specOf<ServiceSpec>(service).selector ?? {};
  const wanted = own.whole ?? { [own.key]: own.target };
  const isLed = live[own.key] === own.target && Object.entries(live).every(([key, value]) => wanted[key] === value);
  if (!service || isLed) return;
  const { resourceVersion } = service.metadata;
  const selector = onlyThese(wanted, live);
  await cluster.patch(ref, { metadata: { resourceVersion }, spec: { selector } }, { signal });
}

/** Leaves the apex Service to its user, whose pods are, or were, those of `target`. */
export async function restoreApex(canary: Canary, target: KubeObject, originals: Originals, deps: DeletionDeps): Promise<void> {
  const workload = workloadFor(canary.spec.targetRef);
  if ('unsupported' in workload || !workload.hasPods) return;
  const selector = selectorsOf(workload, { target, primary: deps.view.find(primaryRefOf(canary))?.object }, deps.config);
  if ('problem' in selector) return;
  const own = { key: selector.key, value: selector.target, whole: selector.whole };
  await patchApex(canary, deps, (service) =>
    isGenerated(service) ? undefined : apexRestorePatch(service, target, own, recordedApex(canary, originals)),
  );
}

/** Returns the patched Service. */
async function patchApex(
  canary: Canary,
  { cluster, signal }: DepsOf<'cluster'>,
  patchOf: (service: KubeObject) => ApexPatch | undefined,
): Promise<KubeObject | undefined> {
  const apexRef = { apiVersion: 'v1', kind: 'Service', name: names(canary).apexService, namespace: canary.metadata.namespace };
  const service = await cluster.get(apexRef, { signal });
  const patch = service && patchOf(service);
  if (!patch) return service;
  const metadata = { ...patch.metadata, resourceVersion: service.metadata.resourceVersion };
  return cluster.patch(apexRef, { ...patch, metadata }, { signal });
}

/** True if Serin made it, and no one has applied a manifest over it since. A Service that was found in place has no mark. */
function isGenerated(service: KubeObject): boolean {
  const isForeign = ({ manager, subresource, fieldsV1 }: ManagedFieldsEntry) =>
    manager !== fieldManager && (subresource ?? '') === '' && fieldsV1?.['f:spec'] !== undefined;
  return service.metadata.annotations?.[ownerAnnotation] !== undefined && !entriesOf(service).some(isForeign);
}

/** An apex Service that Serin made goes with the rest, also when it had been left to the target that is gone. */
function ownerOfApex(service: KubeObject, { apiVersion, kind, metadata: { name, uid = '' } }: KubeObject): OwnerReference[] | null {
  return isGenerated(service) ? [{ apiVersion, kind, name, uid }] : null;
}
