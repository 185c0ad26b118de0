import type { KubeObject } from './kube-object.ts';

/** Label on a Secret: the owners of fields that may name it, as `canaries`; several are joined by dots. */
export const usableByLabel = 'serin.dev/usable-by';

/** Fields that name a Secret, with the value of the label that marks a Secret for them. */
const users = {
  'spec.metricsServerSecretRef': 'canaries',
  'spec.analysis.webhooks[].secretRef': 'canaries',
  'spec.provider.secretRef': 'metrictemplates',
  'spec.provider.caSecretRef': 'metrictemplates',
  'spec.secretRef': 'alertproviders',
} as const;
export type SecretField = keyof typeof users;

/** Only Serin has this field, so no Flagger installation has Secrets for it without the label. */
const ALWAYS_MARKED: ReadonlySet<SecretField> = new Set(['spec.metricsServerSecretRef']);

/** Types of Secrets that users create, for passwords and certificates. */
const OPEN_TYPES: ReadonlySet<string> = new Set(['Opaque', 'kubernetes.io/basic-auth', 'kubernetes.io/tls']);
/** Other types are written by controllers, for controllers and kubelets: tokens, kubeconfigs, releases, keys of an authority. */
const CLOSED_DOMAINS = ['kubernetes.io', 'x-k8s.io', 'helm.sh', 'istio.io', 'serin.dev'];

/** A Secret that exists, but is refused for the field that names it. */
export class RefusedSecret {
  readonly reason: string;
  /** It does not exist, and is not refused for another reason. */
  readonly isMissing: boolean;
  constructor(reason: string, { isMissing = false }: { isMissing?: boolean } = {}) {
    this.reason = reason;
    this.isMissing = isMissing;
  }
}

/** Values of a Secret by key, decoded. */
export type SecretData = Readonly<Record<string, string>>;
/** Reads the decoded data of a Secret; undefined if it does not exist. */
export type ReadSecret = (namespace: string, name: string, field: SecretField) => Promise<SecretData | RefusedSecret | undefined>;

/** Reason for which the field may not use this Secret, decided only by type and labels; `isLabelRequired` is the flag. */
export function secretRefusal(
  { metadata, type = 'Opaque' }: Pick<KubeObject, 'metadata'> & { type?: string },
  field: SecretField,
  { isLabelRequired }: { isLabelRequired: boolean },
): RefusedSecret | undefined {
  const { name, namespace, labels = {} } = metadata;
  const refused = `Secret ${namespace ? `${namespace}/` : ''}${name} is not allowed for ${field}`;
  if (isClosed(type))
    return new RefusedSecret(
      `${refused}: its type ${type.slice(0, 80)} is for other programs; make one of type Opaque with the keys needed`,
    );
  if (!isLabelRequired && !ALWAYS_MARKED.has(field)) return undefined;
  const present = labels[usableByLabel]?.split('.') ?? [];
  if (present.includes(users[field])) return undefined;
  const value = [...present, users[field]].filter(Boolean).join('.');
  const overwrite = present.length > 0 ? ' --overwrite' : '';
  const command = `kubectl label secret ${name}${namespace ? ` --namespace ${namespace}` : ''} ${usableByLabel}=${value}${overwrite}`;
  return new RefusedSecret(`${refused}: it lacks the label ${usableByLabel}=${users[field]}; to allow it: ${command}`);
}

function isClosed(type: string): boolean {
  const [domain = ''] = type.split('/');
  return !OPEN_TYPES.has(type) && CLOSED_DOMAINS.some((closed) => domain === closed || domain.endsWith(`.${closed}`));
}
