import type { LabelSelector } from '../../api/kinds/label-selector.ts';
import type { KubeObject, Labels, ObjectRef, OwnerReference } from '../../api/kube-object.ts';
import { selects } from '../label-selector.ts';

/** The workloads of both sides, with the labels of their pods. */
export interface CompanionSides {
  namespace: string;
  /** Labels of the namespace; absent: only its name is known. */
  namespaceLabels?: Labels | undefined;
  /** The label by which the pods of the two sides differ. */
  key: string;
  target: { ref: ObjectRef; labels: Labels; owners: readonly OwnerReference[] };
  primary: {
    ref: ObjectRef;
    labels: Labels;
    /** The same as the target would have them: what selects these selected the promoted revision before its primary did. */
    labelsAsTarget: Labels;
    /** Of its selector: they select its pods and no others. */
    matchLabels: Labels;
  };
}

/** Pods themselves, pods as peers of others, or the workload by its name. */
export type CompanionRole = 'pods' | 'peers' | 'workload';

/** What a companion is to hold, before it has a name. */
export interface CompanionDraft {
  source: KubeObject;
  role: CompanionRole;
  spec: Record<string, unknown>;
}

/** Why an object that is about the target gets no companion. With the first two nothing is lost. */
export type WithoutCompanionCode =
  | 'selectsBoth'
  | 'hasOwn'
  | 'anotherNamespace'
  | 'anotherTarget'
  | 'nameTaken'
  | 'namespaceUnknown'
  | 'addsRules'
  | 'tooMany';

export interface WithoutCompanion {
  source: ObjectRef;
  code: WithoutCompanionCode;
  /** The object that is there already, or takes the name. */
  by?: ObjectRef;
}

export interface Drafted {
  drafts: readonly CompanionDraft[];
  without: readonly WithoutCompanion[];
}

/** A kind whose objects get a companion for the primary. Pure. */
export interface CompanionKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** `sources`: objects of the user's, by name; of other namespaces, too. `ofOthers`: companions of other primaries, about their pods. */
  draft(sources: readonly KubeObject[], sides: CompanionSides, ofOthers: readonly KubeObject[]): Drafted;
}

/** Which sides a selector selects. What the target will lose or gain with its next promotion counts for it, too. */
export function sidesSelected(selector: LabelSelector | undefined, { target, primary }: CompanionSides) {
  return {
    target: selects(selector, target.labels) || selects(selector, primary.labelsAsTarget),
    primary: selects(selector, primary.labels),
  };
}

/** Written for the primary: it selects neither the target's pods nor those of any other workload with these labels. */
export function isForPrimaryAlone(selector: LabelSelector | undefined, sides: CompanionSides): boolean {
  const { key, primary } = sides;
  const is = sidesSelected(selector, sides);
  return is.primary && !is.target && !selects(selector, { ...primary.labels, [key]: `${primary.labels[key]}-other` });
}

/** Selects the primary's pods alone, whatever else the selector of the source selects: under two of a kind pods may not be evicted at all. */
export const primarySelector = ({ primary }: CompanionSides): LabelSelector => ({ matchLabels: primary.matchLabels });
