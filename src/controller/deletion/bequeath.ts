import type { AnchoredSpec, Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, type ObjectRef, refOf } from '../../api/kube-object.ts';
import { deletedWithAnnotation, keptAnnotation, names, ownerAnnotation } from '../../api/names.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import { deleteFound } from '../../kube/what-was-found.ts';
import { routerFor } from '../../routers/index.ts';
import type { Router } from '../../routers/router.ts';
import {
  anchorReference,
  canaryLabel,
  canaryLabelValue,
  type Originals,
  readTemplateRevision,
  recordLabel,
} from '../../workloads/anchor.ts';
import { isCompanion } from '../../workloads/companions/index.ts';
import { configObjectRef } from '../../workloads/configs/config-ref.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { PrimarySpec, Workload } from '../../workloads/workload.ts';
import { isLeftOver } from '../adoption/adopt-restored.ts';
import { anchoredPart } from '../adoption/anchor-of.ts';
import type { Anchors } from '../adoption/anchors.ts';
import type { SecretSalts } from '../adoption/secret-salts.ts';
import { generatedRefs } from '../adoption/take-over.ts';
import { companionRefs } from '../facts/companions.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';
import { isCollected } from '../objects/ownership.ts';
import { unmark } from './kept-marks.ts';
import type { DeletionDeps } from './move-traffic.ts';
import { findTarget } from './restore-application.ts';

type BequeathDeps = DeletionDeps & { anchors: Anchors; salts: Pick<SecretSalts, 'inherit'> };

/**
 * Leaves a promoted primary, and all that serves with it, to the Canary that was made over the same target (I19). One of the same name goes on
 * under the anchor of the last one. One of another name gets an anchor with the same originals; after a crash what is left is moved.
 */
export async function bequeath(canary: Canary, heir: Canary, anchor: KubeObject, originals: Originals, deps: BequeathDeps): Promise<void> {
  const { cluster, signal, log } = deps;
  const target = await findTarget(canary, deps);
  if (target) await unmark(canary, target, deps);
  if (heir.metadata.name === canary.metadata.name) {
    const annotations = { [keptAnnotation]: null, [deletedWithAnnotation]: null };
    await cluster.patch(refOf(anchor), { metadata: { annotations } }, { signal });
  } else await moveToHeir(canary, heir, anchor, originals, deps);
  const { namespace } = canary.metadata;
  log.info({ canary: `${namespace}/${heir.metadata.name}` }, 'takes over the primary of a Canary that was deleted');
}

/** Rights on them can be limited to some, or to reading. */
const configKinds = ['ConfigMap', 'Secret'];

async function moveToHeir(canary: Canary, heir: Canary, anchor: KubeObject, originals: Originals, deps: BequeathDeps): Promise<void> {
  const { cluster, config, anchors, salts, signal } = deps;
  const workload = workloadFor(canary.spec.targetRef);
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  if ('unsupported' in workload || 'unsupported' in router) return;
  const isSameApex = !originals.canary || names(originals.canary).apexService === names(heir).apexService;
  const { apexService, target } = originals;
  const formerSpecs = formerSpecsOf(canary, heir, originals, config);
  const inherited = { target, ...(isSameApex && apexService && { apexService }), ...(formerSpecs.length > 0 && { formerSpecs }) };
  const own = await anchors.inherit(heir, inherited, signal);
  await salts.inherit(canary, heir, own, signal);
  const { generated, refs } = await ownedRefs(canary, { workload, router }, deps);
  let isAllMoved = true;
  for (const ref of refs)
    await moveOne(ref).catch((error: unknown) => {
      if (!isForbidden(error) || !configKinds.includes(ref.kind)) throw error;
      isAllMoved = false;
    });
  if (isAllMoved) return deleteFound(anchor, cluster, { signal, propagationPolicy: 'Background' });
  // Copies that must not be written stay with their owner, which goes with the new one.
  const metadata = { labels: { [recordLabel]: 'inherited' }, ownerReferences: [anchorReference(own)] };
  await cluster.patch(refOf(anchor), { metadata }, { signal });

  async function moveOne(ref: ObjectRef): Promise<void> {
    const object = await cluster.get(ref, { signal });
    const { ownerReferences = [], annotations, labels, resourceVersion } = object?.metadata ?? {};
    const isOwned = ownerReferences.some(({ uid }) => uid === anchor.metadata.uid);
    const isMarked = !isCollected(ref, config) && annotations?.[ownerAnnotation] === canary.metadata.uid;
    if (!object || (!isOwned && !isMarked)) return;
    const owners = ownerReferences.map((owner) => (owner.uid === anchor.metadata.uid ? { ...owner, ...anchorReference(own) } : owner));
    const isLabelled = labels?.[canaryLabel] !== undefined;
    const metadata = {
      resourceVersion,
      ...(isOwned && { ownerReferences: owners }),
      annotations: { [ownerAnnotation]: heir.metadata.uid },
      ...(isLabelled && { labels: { [canaryLabel]: canaryLabelValue(heir.metadata.name) } }),
    };
    const moved = await cluster.patch(ref, { metadata }, { signal });
    // Others are not watched.
    if (generated.includes(ref)) deps.view.learn(moved);
  }
}

/** Objects that the anchor can own, and those of them that Serin generates from the spec. */
async function ownedRefs(
  canary: Canary,
  { workload, router }: { workload: Workload; router: Router },
  deps: DeletionDeps & { anchors: Anchors },
): Promise<{ generated: readonly ObjectRef[]; refs: readonly ObjectRef[] }> {
  const { cluster, anchors, signal } = deps;
  const records = (await anchors.templates.records(canary, signal)).filter((one) => readTemplateRevision(one) !== undefined);
  const primary = await cluster.get(primaryRefOf(canary), { signal });
  const templates = records.flatMap((record): PrimarySpec[] => {
    const template = readTemplateRevision(record);
    return template ? [template.spec] : [];
  });
  const readers = primary ? [primary, ...templates.map((spec) => withSpec(primary, spec))] : [];
  const configs = readers.flatMap((reader) => workload.configs?.(reader) ?? []);
  const generated = [...generatedRefs(canary, workload, router), ...(await companionsOf(canary, deps))];
  const refs: ObjectRef[] = [
    ...generated,
    ...configs.map((ref) => configObjectRef(ref, canary.metadata.namespace)),
    // Last: what is left to move is found by them.
    ...records.map(refOf),
  ];
  return { generated, refs: [...new Map(refs.map((one) => [`${one.kind}/${one.name}`, one])).values()] };
}

/** Objects that a restored backup has without their owner get the anchor that came with them, so that they go with it. */
export async function ownRestored(canary: Canary, anchor: KubeObject, deps: DeletionDeps & { anchors: Anchors }): Promise<void> {
  const { cluster, config, view, signal } = deps;
  const workload = workloadFor(canary.spec.targetRef);
  const router = routerFor(canary.spec.provider ?? config.meshProvider, config);
  if ('unsupported' in workload || 'unsupported' in router) return;
  const isLeft = (object: KubeObject | undefined): object is KubeObject =>
    object?.metadata.annotations?.[ownerAnnotation] === canary.metadata.uid && isLeftOver(object, view);
  // A route that was left to its user has no owner either: the primary of such an application has.
  if (!isLeft(await cluster.get(primaryRefOf(canary), { signal }))) return;
  const { refs } = await ownedRefs(canary, { workload, router }, deps);
  const ownerReferences = [anchorReference({ name: anchor.metadata.name, uid: anchor.metadata.uid ?? '' })];
  // The primary is last: after a crash the rest is found by it.
  const [primaryRef] = refs;
  for (const ref of [...refs.slice(1), ...(primaryRef ? [primaryRef] : [])]) {
    const object = isCollected(ref, config) ? await cluster.get(ref, { signal }) : undefined;
    if (!isLeft(object)) continue;
    const owned = await cluster.patch(ref, { metadata: { resourceVersion: object.metadata.resourceVersion, ownerReferences } }, { signal });
    if (view.isListed(ref) && view.find(ref)) view.learn(owned);
  }
}

/** A kind that the cluster does not serve, or that is forbidden, has none. */
async function companionsOf(canary: Canary, { cluster, config, signal }: DeletionDeps): Promise<ObjectRef[]> {
  const listed = companionRefs(canary, config).map(async ({ apiVersion, kind, namespace }) => {
    try {
      const { items } = await cluster.list({ apiVersion, kind, namespace }, { signal });
      return items.map((item) => ({ ...item, apiVersion, kind })).filter(isCompanion);
    } catch (error) {
      if (isForbidden(error) || isNotFound(error)) return [];
      throw error;
    }
  });
  return (await Promise.all(listed)).flat().map(refOf);
}

/** Specs by which routes of other providers can be left, one for each: the newest. */
function formerSpecsOf(canary: Canary, heir: Canary, originals: Originals, { meshProvider }: DeletionDeps['config']): AnchoredSpec[] {
  const providerOf = ({ provider }: Pick<AnchoredSpec, 'provider'>) => provider ?? meshProvider;
  const before = [anchoredPart(canary).spec, ...(originals.canary ? [originals.canary.spec] : []), ...(originals.formerSpecs ?? [])];
  const others = before.filter((spec) => providerOf(spec) !== providerOf(heir.spec));
  return [...new Map(others.toReversed().map((spec) => [providerOf(spec), spec])).values()];
}

/** The primary as a record of it says. */
const withSpec = (primary: KubeObject, spec: PrimarySpec): KubeObject => ({
  ...primary,
  spec: { ...specOf<Record<string, unknown>>(primary), ...spec },
});
