import type { LabelSelector } from '../../api/kinds/label-selector.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../../api/kube-object.ts';
import { type CompanionKind, primarySelector, sidesSelected, type WithoutCompanion } from './companion.ts';

interface BudgetSpec {
  selector: LabelSelector;
  [field: string]: unknown;
}

/**
 * A budget of the target's pods also holds for the primary's. Pods under two budgets cannot be evicted (Kubernetes, eviction subresource): at most one
 * companion is made, and none if a budget of the user's selects the primary's pods.
 */
export const podDisruptionBudget: CompanionKind = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  draft(sources, sides) {
    const selected = sources
      .filter(({ metadata }) => metadata.namespace === sides.namespace)
      .map((source) => ({ source, is: sidesSelected(specOf<BudgetSpec>(source).selector, sides) }));
    const ofPrimary = selected.find(({ is }) => is.primary)?.source;
    const [first, ...others] = selected.flatMap(({ source, is }) => (is.target && !is.primary ? [source] : []));
    const selectsBoth = selected.filter(({ is }) => is.target && is.primary);
    const without: WithoutCompanion[] = selectsBoth.map(({ source }) => ({ source: refOf(source), code: 'selectsBoth' }));
    if (first === undefined) return { drafts: [], without };
    const hasOwn = (by: KubeObject) => (source: KubeObject) => ({ source: refOf(source), code: 'hasOwn', by: refOf(by) }) as const;
    if (ofPrimary) return { drafts: [], without: [...without, ...[first, ...others].map(hasOwn(ofPrimary))] };
    const spec = { ...specOf<BudgetSpec>(first), selector: primarySelector(sides) };
    return { drafts: [{ source: first, role: 'pods', spec }], without: [...without, ...others.map(hasOwn(first))] };
  },
};
