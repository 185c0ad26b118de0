import type { LabelSelector } from '../../api/kinds/label-selector.ts';
import type { KubeObject, Labels, ObjectRef, OwnerReference } from '../../api/kube-object.ts';
import { selects } from '../label-selector.ts';

/** The workloads of both sides, with the labels of their pods. */
export interface CompanionSides {
  namespace: string;
  /** Labels of the namespace; absent if only its name is known. */
  namespaceLabels?: Labels | undefined;
  /** The label by which the pods of the two sides differ. */
  key: string;
  target: { ref: ObjectRef; labels: Labels; owners: readonly OwnerReference[] };
  primary: {
    ref: ObjectRef;
    labels: Labels;
    /** The labels under the target's name: a selector of these selected the promoted revision before its primary did. */
    labelsAsTarget: Labels;
    /** Labels of its selector: they select its pods and no others. */
    matchLabels: Labels;
  };
}

/** Selects the pods, or names them as peers, or names the workload. */
export type CompanionRole = 'pods' | 'peers' | 'workload';

/** Content of a companion before it has a name. */
export interface CompanionDraft {
  source: KubeObject;
  role: CompanionRole;
  spec: Record<string, unknown>;
}

/** Reason for which an object about the target gets no companion. With the first two nothing is lost. */
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
  /** The object that already exists, or that has the name. */
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
  /** `sources`: objects of the user's, by name, also of other namespaces. `ofOthers`: companions that select the pods of other primaries. */
  draft(sources: readonly KubeObject[], sides: CompanionSides, ofOthers: readonly KubeObject[]): Drafted;
}

/** Sides that a selector selects. Labels that the target will lose or gain with its next promotion also count. */
export function sidesSelected(selector: LabelSelector | undefined, { target, primary }: CompanionSides) {
  return {
    target: selects(selector, target.labels) || selects(selector, primary.labelsAsTarget),
    primary: selects(selector, primary.labels),
  };
}

/** The selector was written for the primary: it selects neither the target's pods nor those of any other workload with these labels. */
export function isForPrimaryAlone(selector: LabelSelector | undefined, sides: CompanionSides): boolean {
  const { key, primary } = sides;
  const is = sidesSelected(selector, sides);
  return is.primary && !is.target && !selects(selector, { ...primary.labels, [key]: `${primary.labels[key]}-other` });
}

/** Selects only the primary's pods, even if the selector of the source selects others also: pods under two budgets cannot be evicted at all. */
export const primarySelector = ({ primary }: CompanionSides): LabelSelector => ({ matchLabels: primary.matchLabels });
