import { specOf } from '../../api/kinds/spec-of.ts';
import { groupOf, type KubeObject, type ObjectRef, refOf } from '../../api/kube-object.ts';
import type { CompanionKind, CompanionSides, WithoutCompanion } from './companion.ts';

interface AutoscalerSpec {
  targetRef: Partial<Pick<ObjectRef, 'apiVersion' | 'kind' | 'name'>>;
  [field: string]: unknown;
}

/** A VPA for the target gets one for the primary. With two for one workload neither is sure to count: at most one is made. */
export const verticalPodAutoscaler: CompanionKind = {
  apiVersion: 'autoscaling.k8s.io/v1',
  kind: 'VerticalPodAutoscaler',
  draft(sources, sides) {
    const near = sources.filter(({ metadata }) => metadata.namespace === sides.namespace);
    const without = near.filter((source) => isForOwner(source, sides)).map(anotherTarget);
    const ofPrimary = near.find((source) => isFor(source, sides.primary.ref));
    const [first, ...others] = near.filter((source) => isFor(source, sides.target.ref));
    if (first === undefined) return { drafts: [], without };
    const by = ofPrimary ?? first;
    const left = ofPrimary ? [first, ...others] : others;
    const hasOwn = left.map((source) => ({ source: refOf(source), code: 'hasOwn', by: refOf(by) }) as const);
    if (ofPrimary) return { drafts: [], without: [...without, ...hasOwn] };
    const { targetRef, ...spec } = specOf<AutoscalerSpec>(first);
    const ofOwn = { ...spec, targetRef: { ...targetRef, name: sides.primary.ref.name } };
    return { drafts: [{ source: first, role: 'workload', spec: ofOwn }], without: [...without, ...hasOwn] };
  },
};

function isFor(source: KubeObject, { apiVersion, kind, name }: Pick<ObjectRef, 'apiVersion' | 'kind' | 'name'>): boolean {
  const { targetRef = {} } = specOf<AutoscalerSpec>(source);
  return targetRef.kind === kind && targetRef.name === name && groupOf(targetRef.apiVersion ?? apiVersion) === groupOf(apiVersion);
}

/** The owner of the target controls its pods, and has no primary. */
function isForOwner(source: KubeObject, { target }: CompanionSides): boolean {
  return target.owners.some((owner) => isFor(source, owner));
}

const anotherTarget = (source: KubeObject): WithoutCompanion => ({ source: refOf(source), code: 'anotherTarget' });
