import type { LabelSelector } from '../api/kinds/label-selector.ts';
import { type KubeObject, type ObjectRef, refOf } from '../api/kube-object.ts';
import { selects, swapValues } from '../workloads/label-selector.ts';
import type { Loss } from './plan.ts';
import { type SelectingKind, selectingKind } from './selecting-kinds.ts';
import { type LivingApplication, namesPrimary, type Selected, selectedIn, sharedLabel, swappedLabel } from './world.ts';

/** Objects that select pods by their labels, kept and lost. */
export interface PoliciesAtArrival {
  keeps: KubeObject[];
  losses: Loss[];
}

/**
 * Evaluates selectors over both sides. An object that selects the target's pods and not the primary's stops to apply to the pods that serve, unless it has a
 * companion or the user has written one for the primary. An object that begins to select the primary's pods without naming them applies where it did not apply
 * previously.
 */
export function policiesAtArrival(world: LivingApplication, hasCompanion: (source: ObjectRef) => boolean): PoliciesAtArrival {
  const result: PoliciesAtArrival = { keeps: [], losses: [] };
  const selecting = world.objects.flatMap((object) => {
    const kind = selectingKind(object);
    if (kind === undefined) return [];
    const selector = kind.selector(object);
    return [{ object, kind, selector: selector ?? {}, selected: selectedBy(world, kind, object, selector) }];
  });
  const sources = selecting.filter(({ selected }) => selected.target && !selected.primary);
  const ofPrimary = selecting.filter(({ selected, selector }) => selected.primary && !selected.target && namesPrimary(world, selector));
  const written = writtenFor(sources, ofPrimary);
  for (const { object, kind, selector, selected } of selecting) {
    const { target, primary } = selected;
    if (target && !primary && !hasCompanion(refOf(object)) && !written.has(object)) result.losses.push(lost(world, kind, object, selector));
    else if (!target && primary && kind.loss === 'security' && !namesPrimary(world, selector) && !hasCompanion(refOf(object)))
      result.losses.push(gained(world, kind, object));
    else if (target || primary) result.keeps.push(object);
  }
  return result;
}

/**
 * The sources that the user has also written for the primary. A security policy for the primary that repeats a source replaces that source; a policy with rules
 * of its own replaces all sources.
 */
function writtenFor(sources: readonly SelectingObject[], ofPrimary: readonly SelectingObject[]): ReadonlySet<KubeObject> {
  const textOf = ({ kind, object }: SelectingObject) => JSON.stringify([kind.kind, kind.withSelector(object, {}).spec]);
  const said = new Set(sources.map(textOf));
  const answers = new Set(ofPrimary.map(textOf));
  const open = new Set(ofPrimary.filter((one) => one.kind.loss !== 'security' || !said.has(textOf(one))).map(({ kind }) => kind));
  return new Set(sources.filter((one) => open.has(one.kind) || answers.has(textOf(one))).map(({ object }) => object));
}

interface SelectingObject {
  kind: SelectingKind;
  object: KubeObject;
}

const NONE: Selected = { target: false, primary: false, others: [] };

function selectedBy(
  world: LivingApplication,
  { namespaces }: SelectingKind,
  object: KubeObject,
  selector: LabelSelector | undefined,
): Selected {
  const where = namespaces?.(object) ?? [object.metadata.namespace ?? ''];
  return where === 'any' || where.includes(world.namespace) ? selectedIn(world, world.namespace, selector) : NONE;
}

function lost(world: LivingApplication, kind: SelectingKind, object: KubeObject, selector: LabelSelector): Loss {
  const label = sharedLabel(world);
  const manifest = forPrimary(world, kind, object, selector);
  const apply = manifest
    ? `apply the one for the primary that serin preflight prints, ${manifest.metadata.name}${kind.beside?.(object) ?? ''}`
    : 'write one for the primary';
  return {
    code: kind.loss === 'security' ? 'PolicyWouldBeLost' : 'WouldBeLost',
    kind: kind.loss,
    isRefused: kind.loss === 'security',
    object: refOf(object),
    field: kind.field,
    detail: `selects the pods of ${world.target.owner.kind} ${world.target.owner.name} and not those of ${world.primary.owner.name}, which will serve: ${kind.means}`,
    remedy: label === undefined ? apply : `${apply}; or select by ${label}, which both sides have`,
    manifest,
  };
}

function gained(world: LivingApplication, kind: SelectingKind, object: KubeObject): Loss {
  const { primary } = world;
  const label = swappedLabel(world);
  return {
    code: 'PolicyWouldBeLost',
    kind: 'security',
    isRefused: true,
    object: refOf(object),
    field: kind.field,
    detail: `does not select the pods of the target, and would begin to select those of ${primary.owner.name}, which will serve`,
    remedy: label
      ? `leave out ${label.key}: ${label.primary} as it leaves out ${label.key}: ${label.target}`
      : 'leave them out by their label',
  };
}

/** The same object for the primary's pods; undefined if swapping the label does not select them. */
function forPrimary(world: LivingApplication, kind: SelectingKind, object: KubeObject, selector: LabelSelector): KubeObject | undefined {
  const label = swappedLabel(world);
  const swapped = label && swapValues(selector, label.key, label.target, label.primary);
  if (swapped === undefined || !selects(swapped, world.primary.labels) || selects(swapped, world.target.labels)) return undefined;
  return kind.withSelector(renamed(object), swapped);
}

/** The first part of a manifest for the primary, without fields that the server has added. */
export function renamed({ apiVersion, kind, metadata, status: _status, ...rest }: KubeObject): KubeObject {
  const { name, namespace, labels } = metadata;
  const own = { name: `${name}-primary`, ...(namespace !== undefined && { namespace }), ...(labels && { labels }) };
  return { apiVersion, kind, metadata: own, ...rest };
}
