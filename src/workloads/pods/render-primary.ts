import type { Canary } from '../../api/canary.ts';
import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { KubeObject, Labels, Slim } from '../../api/kube-object.ts';
import { names, ownerAnnotation, revisionAnnotation } from '../../api/names.ts';
import { type SelectorLabels, withoutSuffix } from '../../api/selector-label.ts';
import { withoutTracking, withPrefix } from '../../api/tracking-metadata.ts';
import { rewriteReferences } from '../configs/references.ts';
import { rewriteSpreadTerms, spreadKeys } from '../spread-terms.ts';
import type { PrimarySpec, RenderOptions } from '../workload.ts';

/** The primary to create, without its replica count. It has no owner: the caller adds the anchor. */
export function renderPrimary(canary: Canary, target: KubeObject, options: RenderOptions, promoted?: PrimarySpec): KubeObject {
  const { key, primary } = options.selector;
  // All labels are kept, so that two workloads that differ only in the second label do not share pods.
  const matchLabels = { ...selectorLabelsOf(target), [key]: primary };
  return {
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: {
      name: names(canary).primary,
      namespace: canary.metadata.namespace,
      labels: { ...withPrefix(withoutTracking(target.metadata.labels), options.includeLabelPrefix), [key]: primary },
      annotations: { ...withoutTracking(target.metadata.annotations), [ownerAnnotation]: canary.metadata.uid },
    },
    spec: {
      ...(promoted ? withHeldLabels(promoted, matchLabels) : primarySpec(canary, target, options)),
      selector: { matchLabels },
    },
  };
}

/** Fields of the primary's spec that come from the target, at creation and at each promotion. */
export function primarySpec(canary: Canary, target: KubeObject, options: RenderOptions): PrimarySpec {
  const { replicas: _replicas, selector: _selector, paused: _paused, template, ...rest } = asPodWorkload(target).spec;
  return { ...rest, template: primaryPodTemplate(canary, target, template, options) };
}

/**
 * A previously promoted spec, with the labels by which its primary is selected now: without them the API server refuses it. A template of another application,
 * which has none of the labels, is not changed.
 */
export function withHeldLabels(spec: PrimarySpec, held: Labels): PrimarySpec {
  const { template } = spec;
  const labels = template?.metadata?.labels ?? {};
  const isOfSamePods = Object.entries(held).some(([key, value]) => withoutSuffix(labels[key]) === withoutSuffix(value));
  if (template === undefined || !isOfSamePods) return spec;
  return { ...spec, template: { ...template, metadata: { ...template.metadata, labels: { ...labels, ...held } } } };
}

function primaryPodTemplate(canary: Canary, target: KubeObject, template: PodTemplate, options: RenderOptions): PodTemplate {
  const { selector, revision, configs } = options;
  const { namespace } = canary.metadata;
  // Only older API servers write `creationTimestamp: null`.
  const { labels = {}, annotations, creationTimestamp: _none, ...otherMetadata } = template.metadata ?? {};
  return {
    ...template,
    metadata: {
      ...otherMetadata,
      labels: primaryPodLabels(target, selector),
      // Derived from the revision, not random: a promotion of the same revision restarts nothing.
      annotations: { ...withoutTracking(annotations), [revisionAnnotation]: revision },
    },
    spec: rewriteSpreadTerms(configs ? rewriteReferences(template.spec, configs) : template.spec, { labels, namespace, selector }),
  };
}

function selectorLabelsOf(target: KubeObject): Labels {
  return asPodWorkload(target).spec.selector?.matchLabels ?? {};
}

/** The full content of a primary that another controller made, with our id, by which it is recognized after a restore. */
export function heldPods(primary: KubeObject, revision: string): PrimarySpec {
  const { replicas: _replicas, selector: _selector, paused: _paused, template, ...spec } = asPodWorkload(primary).spec;
  const annotations = { ...template.metadata?.annotations, [revisionAnnotation]: revision };
  return { ...spec, template: { ...template, metadata: { ...template.metadata, annotations } } };
}

/** Labels of the pods that a primary of this target has: those of deployment tools only where pods are selected or spread by them. */
export function primaryPodLabels(target: Slim, selector: SelectorLabels): Labels {
  const { selector: own, template } = asPodWorkload(target).spec;
  const needed = new Set([...Object.keys(own.matchLabels ?? {}), ...spreadKeys(template.spec)]);
  return { ...withoutTracking(template.metadata?.labels, needed), ...selector.held, [selector.key]: selector.primary };
}
