import { error, type Finding, warning } from '../../../api/finding.ts';
import type { PodWorkloadSpec } from '../../../api/kinds/pod-workload-spec.ts';
import { specOf } from '../../../api/kinds/spec-of.ts';
import { names } from '../../../api/names.ts';
import { resolveSelector } from '../../../api/selector-label.ts';
import type { Item } from '../documents.ts';
import {
  apiGroupOf,
  type CanaryItem,
  findItem,
  findingOn,
  isAbsent,
  isNear,
  type ManifestCheck,
  type Manifests,
  targetIn,
  whereOf,
} from '../manifests.ts';

/** The workload that a Canary releases: whether it is the user's own, and can have a primary beside it. */
export const targets: ManifestCheck = (manifests) =>
  manifests.canaries.flatMap((item) =>
    item.place ? [...findingOn(item, primaryAsTarget(item, manifests)), ...selectorFindings(item, manifests)] : [],
  );

const SUFFIX = '-primary';

function* primaryAsTarget(item: CanaryItem, manifests: Manifests): Generator<Finding> {
  const { kind, name } = item.canary.spec.targetRef;
  if (!name.endsWith(SUFFIX)) return;
  const field = 'spec.targetRef.name';
  const stem = name.slice(0, -SUFFIX.length);
  const own = `name the ${kind} that you own`;
  const maker = manifests.canaries.find((other) => names(other.canary).primary === name && isNear(other.namespace, item.namespace));
  if (maker) yield error(field, `is ${name}, which ${whereOf(maker)} makes: ${own}, ${stem}`);
  else if (!targetIn(manifests, item)?.place)
    yield warning(field, `is ${name}, the name that the primary of ${stem} gets: ${own}; its primary is made beside it`);
}

function selectorFindings(item: CanaryItem, manifests: Manifests) {
  const { kind } = item.canary.spec.targetRef;
  const target = targetIn(manifests, item);
  if (!target) return findingOn(item, isAbsent(manifests, kind) ? [missing(item, manifests)] : []);
  if (kind !== 'Deployment' && kind !== 'DaemonSet') return [];
  return [...pausedFindings(item, target), ...labelFindings(item, target, manifests)];
}

/** The pods of a new version are not made, and the release ends at its deadline. */
function pausedFindings(item: CanaryItem, target: Item) {
  const { kind, name } = item.canary.spec.targetRef;
  if (specOf<{ paused?: boolean }>(target.object).paused !== true) return [];
  const message = 'is true, so that the pods of a new version are not made: set it to false';
  if (target.place) return findingOn(target, [warning('spec.paused', message)]);
  return findingOn(item, [warning('spec.targetRef.name', `${kind} ${name}: spec.paused ${message}, as kubectl rollout resume does`)]);
}

function labelFindings(item: CanaryItem, target: Item, manifests: Manifests) {
  const { kind, name } = item.canary.spec.targetRef;
  const path = 'spec.selector.matchLabels';
  const selected = resolveSelector(target.object, manifests.selectorLabels);
  if (!('problem' in selected)) return [];
  const keys = Object.keys(specOf<PodWorkloadSpec>(target.object).selector?.matchLabels ?? {});
  const message = manifests.selectorLabels.some((label) => keys.includes(label))
    ? `has a value that is too long for the label of the primary, which adds ${SUFFIX}: use at most 55 characters`
    : `has none of ${manifests.selectorLabels.join(', ')}, by which Canary ${item.name} distinguishes the primary from the canary: add app to it and to the labels of the pods, or start the controller with --selector-labels`;
  if (target.place) return findingOn(target, [error(path, message)]);
  return findingOn(item, [error('spec.targetRef.name', `${kind} ${name}: ${path} ${message}`)]);
}

function missing({ canary, namespace }: CanaryItem, manifests: Manifests): Finding {
  const { kind, name } = canary.spec.targetRef;
  const elsewhere = findItem(manifests, { kind, group: apiGroupOf(canary.spec.targetRef), name, namespace: undefined });
  const where = namespace === undefined ? 'the cluster' : `namespace ${namespace}`;
  const remedy = elsewhere
    ? `${whereOf(elsewhere)} has this name, and a Canary releases only a target of its own namespace`
    : 'create it, or correct the name';
  return warning('spec.targetRef.name', `is ${name}, and ${where} has no such ${kind} yet: ${remedy}`);
}
