import { error, type Finding, warning } from '../../../api/finding.ts';
import type { ScalerSpec } from '../../../api/kinds/scaler.ts';
import { specOf } from '../../../api/kinds/spec-of.ts';
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
  whereOf,
} from '../manifests.ts';

const GROUPS: Readonly<Record<string, string>> = { HorizontalPodAutoscaler: 'autoscaling', ScaledObject: 'keda.sh' };

/** Scalers of the target that the Canary does not name, and named scalers that scale something else. */
export const scalerMismatches: ManifestCheck = (manifests) => {
  const byTarget = Map.groupBy(manifests.items.filter(isScaler), scaledName);
  const check = function* (item: CanaryItem) {
    if (!item.place) return;
    yield* unnamed(item, byTarget.get(item.canary.spec.targetRef.name) ?? []);
    yield* named(item, manifests);
  };
  return manifests.canaries.flatMap((item) => findingOn(item, check(item)));
};

function* unnamed(item: CanaryItem, scalersOfName: readonly Item[]): Generator<Finding> {
  const { autoscalerRef, targetRef } = item.canary.spec;
  if (autoscalerRef || targetRef.kind !== 'Deployment') return;
  const scaler = scalersOfName.find((other) => isNear(other.namespace, item.namespace));
  if (!scaler) return;
  const { kind } = scaler.object;
  const message = `is scaled by ${whereOf(scaler)}, and spec.autoscalerRef does not name it: the primary keeps a fixed number of pods, and the scaler fights the scale to zero; add autoscalerRef with kind ${kind} and name ${scaler.name}`;
  yield warning('spec.targetRef', message);
}

/** KEDA makes a HorizontalPodAutoscaler for each ScaledObject, whose owner is the one to name. */
function isScaler({ object }: Item): boolean {
  if (GROUPS[object.kind] !== apiGroupOf(object) || object.metadata?.ownerReferences?.length) return false;
  return (specOf<ScalerSpec>(object).scaleTargetRef?.kind ?? 'Deployment') === 'Deployment';
}

const scaledName = ({ object }: Item): string | undefined => specOf<ScalerSpec>(object).scaleTargetRef?.name;

function* named({ canary, namespace }: CanaryItem, manifests: Manifests): Generator<Finding> {
  const { autoscalerRef: ref, targetRef } = canary.spec;
  const group = ref && GROUPS[ref.kind];
  if (!ref || group === undefined) return;
  const path = 'spec.autoscalerRef.name';
  const scaler = findItem(manifests, { kind: ref.kind, group, name: ref.name, namespace });
  if (!scaler && isAbsent(manifests, ref.kind))
    yield error(path, `is ${ref.name}, but the ${ref.kind} was not found: create it, or remove autoscalerRef`);
  const { kind = 'Deployment', name } = specOf<ScalerSpec>(scaler?.object).scaleTargetRef ?? {};
  if (!scaler || name === undefined || (kind === targetRef.kind && name === targetRef.name)) return;
  const scales = `is ${scaler.name}, which scales ${kind} ${name} and not ${targetRef.kind} ${targetRef.name}`;
  yield warning(path, `${scales}: correct targetRef or autoscalerRef`);
}
