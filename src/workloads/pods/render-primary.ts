import type { Canary } from '../../api/canary.ts';
import type { PodTemplate } from '../../api/kinds/pod-template.ts';
import { asPodWorkload } from '../../api/kinds/pod-workload.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { names, ownerAnnotation, revisionAnnotation } from '../../api/names.ts';
import { primaryValue } from '../../api/selector-label.ts';
import { withoutTracking, withPrefix } from '../../api/tracking-metadata.ts';
import { rewriteReferences } from '../configs/references.ts';
import { rewriteSpreadTerms, spreadKeys } from '../spread-terms.ts';
import type { PrimarySpec, RenderOptions } from '../workload.ts';

/** The primary to create (03-W14–W23), without its replica count. Without owner: the caller adds the anchor. */
export function renderPrimary(canary: Canary, target: KubeObject, options: RenderOptions, promoted?: PrimarySpec): KubeObject {
  const { key, value } = options.selector;
  return {
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: {
      name: names(canary).primary,
      namespace: canary.metadata.namespace,
      labels: { ...withPrefix(withoutTracking(target.metadata.labels), options.includeLabelPrefix), [key]: primaryValue(value) },
      annotations: { ...withoutTracking(target.metadata.annotations), [ownerAnnotation]: canary.metadata.uid },
    },
    spec: {
      ...(promoted ?? primarySpec(canary, target, options)),
      // All labels stay, so that two workloads that differ in the second one only do not share pods (03-B21).
      selector: { matchLabels: { ...selectorLabelsOf(target), [key]: primaryValue(value) } },
    },
  };
}

/** Fields of the primary's spec that come from the target, at creation and at each promotion. */
export function primarySpec(canary: Canary, target: KubeObject, options: RenderOptions): PrimarySpec {
  const { replicas: _replicas, selector: _selector, paused: _paused, template, ...rest } = asPodWorkload(target).spec;
  return { ...rest, template: primaryPodTemplate(canary, target, template, options) };
}

function primaryPodTemplate(canary: Canary, target: KubeObject, template: PodTemplate, options: RenderOptions): PodTemplate {
  const { selector, revision, configs } = options;
  const { key, value } = selector;
  const { namespace } = canary.metadata;
  // `creationTimestamp: null` is written by older API servers only.
  const { labels = {}, annotations, creationTimestamp: _none, ...otherMetadata } = template.metadata ?? {};
  const needed = new Set([...Object.keys(selectorLabelsOf(target)), ...spreadKeys(template.spec)]);
  return {
    ...template,
    metadata: {
      ...otherMetadata,
      labels: { ...withoutTracking(labels, needed), [key]: primaryValue(value) },
      // Derived from the revision, not random: a promotion of what the primary holds restarts nothing (03-B26).
      annotations: { ...withoutTracking(annotations), [revisionAnnotation]: revision },
    },
    spec: rewriteSpreadTerms(configs ? rewriteReferences(template.spec, configs) : template.spec, { labels, namespace, selector }),
  };
}

function selectorLabelsOf(target: KubeObject): Labels {
  return asPodWorkload(target).spec.selector?.matchLabels ?? {};
}
