import { asConfig } from '../../api/kinds/config.ts';
import type { KubeObject } from '../../api/kube-object.ts';

/**
 * Annotation on a ConfigMap or Secret. With a value that begins with `disable`, changes take effect directly and start no release. With `enabled` it
 * is copied, also if a controller rotates it (E130).
 */
export const trackingAnnotation = 'flagger.app/config-tracking';

/** Secrets of other types are not tracked: registry credentials, tokens, Helm's own records. */
const TRACKED_TYPES = new Set(['Opaque', 'kubernetes.io/basic-auth', 'kubernetes.io/ssh-auth', 'kubernetes.io/tls']);

/** Kinds whose controllers write Secrets and name themselves as their owner, as `group/kind`. */
const WRITERS = new Set([
  // External Secrets with `creationPolicy: Owner` (external-secrets.io, Lifecycle: Creation/Deletion Policy).
  'external-secrets.io/ExternalSecret',
  // cert-manager with `--enable-certificate-owner-ref`.
  'cert-manager.io/Certificate',
  // Sealed Secrets: the Secret belongs to the SealedSecret from which it was unsealed.
  'bitnami.com/SealedSecret',
  // Secrets Store CSI driver; its current releases name the owner of the pods instead, and set a label.
  'secrets-store.csi.x-k8s.io/SecretProviderClass',
  'secrets-store.csi.x-k8s.io/SecretProviderClassPodStatus',
]);
/** `reconcile.external-secrets.io/managed`: LabelManaged of External Secrets, for every creation policy. `…csi…`: SecretManagedLabel of the Secrets Store CSI driver. */
const WRITERS_LABELS = ['reconcile.external-secrets.io/managed', 'secrets-store.csi.k8s.io/managed'];
/** cert-manager sets it on every Secret that it issues; an owner reference only with a flag (CertificateNameKey). */
const CERTIFICATE = 'cert-manager.io/certificate-name';

/**
 * The primary reads this config under its own name (E130): its owner opted out, or a controller rotates it, so that a copy would hold revoked credentials.
 * Decided only by metadata.
 */
export function isLive({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): boolean {
  const chosen = metadata.annotations?.[trackingAnnotation];
  if (chosen?.startsWith('disable')) return true;
  return kind === 'Secret' && chosen !== 'enabled' && isRotated(metadata);
}

function isRotated({ annotations, labels, ownerReferences = [] }: KubeObject['metadata']): boolean {
  if (annotations?.[CERTIFICATE] !== undefined) return true;
  if (WRITERS_LABELS.some((label) => labels?.[label] === 'true')) return true;
  return ownerReferences.some((owner) => WRITERS.has(`${owner.apiVersion.split('/')[0]}/${owner.kind}`));
}

/** A change of this config is a new revision, and the primary gets a copy of it. */
export function isTracked(config: KubeObject): boolean {
  if (isLive(config)) return false;
  return config.kind !== 'Secret' || TRACKED_TYPES.has(asConfig(config).type ?? 'Opaque');
}
