import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { fluxOff, ownerAnnotation } from '../../api/names.ts';
import { withoutTracking } from '../../api/tracking-metadata.ts';

/** Argo CD also knows the objects of an application by this label. */
const INSTANCE_LABEL = 'app.kubernetes.io/instance';
/** A copy needs no certificate of its own, and two objects that request a certificate under the same name fight over it. */
const CERTIFICATE_DOMAINS = /^([a-z0-9-]+\.)?cert-manager\.io\//;

/**
 * Metadata that the copy of a user's Ingress or route takes from it: all that a proxy or a DNS controller may read, so that edits of the
 * original follow, and nothing by which a deployment tool would claim the copy.
 */
export function copiedMetadata(source: KubeObject, isOwn: (annotation: string) => boolean): { labels: Labels; annotations: Labels } {
  const { labels = {}, annotations = {} } = source.metadata;
  const isLeftOut = (key: string) => key === ownerAnnotation || CERTIFICATE_DOMAINS.test(key) || isOwn(key);
  return {
    labels: omit(withoutTracking(labels), (key) => key === INSTANCE_LABEL),
    annotations: { ...omit(withoutTracking(annotations), isLeftOut), ...fluxOff },
  };
}

function omit(pairs: Labels, isLeftOut: (key: string) => boolean): Labels {
  return Object.fromEntries(Object.entries(pairs).filter(([key]) => !isLeftOut(key)));
}
