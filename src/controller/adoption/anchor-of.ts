import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { renderAnchor } from '../../workloads/anchor.ts';
import type { Originals } from '../../workloads/anchor-data.ts';
import { acceptedAnnotations, acceptedSpecsText } from './accepted-specs.ts';

/** The anchor of a Canary, with the spec that it is run by from the start, so that only an edit of it costs a write. */
export function anchorOf(canary: Canary, originals: Omit<Originals, 'canary'>): KubeObject {
  const anchor = renderAnchor(canary, { canary: anchoredPart(canary), ...originals });
  const { metadata } = anchor;
  const annotations = { ...metadata.annotations, ...acceptedAnnotations(canary, acceptedSpecsText(canary.spec)) };
  return { ...anchor, metadata: { ...metadata, annotations } };
}

/** The part of a Canary that its anchor keeps. */
export function anchoredPart({ metadata, spec }: Canary): NonNullable<Originals['canary']> {
  const { name, namespace, uid, labels } = metadata;
  const { provider, targetRef, service, analysis, autoscalerRef, routeRefs } = spec;
  return {
    metadata: { name, namespace, uid, ...(labels && { labels }) },
    spec: {
      ...(provider && { provider }),
      targetRef,
      ...(autoscalerRef && { autoscalerRef }),
      ...(routeRefs && { routeRefs }),
      service,
      analysis: { interval: analysis.interval, threshold: analysis.threshold },
    },
  };
}
