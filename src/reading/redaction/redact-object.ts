import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../base/json.ts';
import { addressOf, HIDDEN, isSecretName, redactText } from '../../base/redact-text.ts';
import { fieldPaths } from './field-paths.ts';

/** Called with the removed value, and its field, flag or variable. */
export type OnHidden = (value: string, name: string) => void;

/** Values hidden below a field: `looks` hides values that look like credentials, `values` hides all, `valuesButNames` all but names of objects. */
type Below = 'looks' | 'values' | 'valuesButNames';

interface Where {
  key: string;
  above: string;
  below: Below;
  /** In an entry of a list, where a name is a name and not a key that a user chose. */
  inList: boolean;
}

/** Maps and lists with free text of users. */
const FREE =
  /^(env|args|command|data|stringData|binaryData|config|options|parameters|volumeAttributes|exprs|primaryScalerTriggers|templateVariables)$|header|quer(y|ies)Param/i;
const ADDRESS = /(url|address|proxy|endpoint|server)$/i;
/** Annotations whose values are settings of Kubernetes, of ours or of providers; other annotations can contain anything. */
const OPEN_ANNOTATIONS: readonly RegExp[] = [
  /^deployment\.kubernetes\.io\//,
  /^deprecated\.daemonset\.template\.generation$/,
  /(^|\.)flagger\.app\//,
  // A promoted scaler can contain queries, and an accepted spec the payloads of its webhooks.
  /^serin\.dev\/(?!(promoted-scaler|accepted-specs)$)/,
  /^flagger-id$/,
  /\/canary(-weight|-weight-total|-by-header|-by-cookie)?$/,
  /^zalando\.org\/backend-weights$/,
  /^autoscaling\.(knative\.dev|keda\.sh)\//,
  /^serving\.knative\.dev\//,
  /^(sidecar\.istio\.io|linkerd\.io)\/inject$/,
  /^(meta\.helm\.sh|helm\.sh)\//,
  /\.toolkit\.fluxcd\.io\/(reconcile|driftDetection|prune|ssa)$/,
];
/** Flags of a controller whose values decide what it does. */
const OPEN_FLAGS =
  /^(mesh-provider|ingress-class|ingress-annotations-prefix|namespaces?|canary-selector|selector-labels|include-label-prefix|enable-[a-z-]+|secrets-(mode|names|namespaces)|min-analysis-interval|scale-down-delay|uninstall-grace|journal-limit|log-level|port|leader-election-namespace|lease-duration|renew-deadline|retry-period|kubeconfig-(qps|burst)|no-cross-namespace-refs|allowed-gateways|require-secret-label|kstatus|pod-logs|cluster-name|threadiness)$/;

/** Redacts an object of the cluster for strangers: keeps all its fields, with names and numbers, but no value that could be a credential. */
export function redactObject(object: KubeObject, onHidden: OnHidden): KubeObject {
  const walk = walker(onHidden);
  const start: Where = { key: '', above: '', below: 'looks', inList: false };
  // A record of ours holds a pod template, which is looked into.
  const whereOf = (key: string): Where => (object.kind === 'ControllerRevision' ? start : into(start, key, object));
  const parts = Object.entries(object).map(([key, value]) => [
    key,
    key === 'metadata' ? walkMetadata(object.metadata, walk) : walk(value, whereOf(key)),
  ]);
  return Object.fromEntries(parts);
}

type Walk = (value: unknown, where: Where) => unknown;

function walkMetadata(metadata: KubeObject['metadata'], walk: Walk): KubeObject['metadata'] {
  const { managedFields, ...rest } = metadata;
  const shown = walk(rest, { key: 'metadata', above: '', below: 'looks', inList: false }) as KubeObject['metadata'];
  if (!Array.isArray(managedFields)) return shown;
  return { ...shown, managedFields: managedFields.map(({ fieldsV1, ...one }) => ({ ...one, fields: fieldPaths(fieldsV1) })) };
}

function walker(onHidden: OnHidden): Walk {
  const hide = (value: string | number, name: string): string => {
    onHidden(String(value), name);
    return HIDDEN;
  };
  const walk: Walk = (value, where) => {
    if (Array.isArray(value)) return value.map((one) => walk(one, { ...where, inList: true }));
    if (isRecord(value)) {
      const named = typeof value.name === 'string' && where.key === 'env' ? value.name : undefined;
      const entries = Object.entries(value).map(([key, inner]) => [key, walk(inner, into(where, key, value, named))]);
      return Object.fromEntries(entries);
    }
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    return leaf(value, where, hide);
  };
  return walk;
}

/** Position one field further down. `named`: the variable that an entry of a list sets. */
function into(where: Where, key: string, siblings: Record<string, unknown>, named?: string): Where {
  const next = { key: named !== undefined && key === 'value' ? named : key, above: where.key, inList: false };
  if (where.key === 'annotations') return { ...next, below: isOpenAnnotation(key) ? 'looks' : 'values' };
  if (key === 'valueFrom') return { ...next, below: 'looks' };
  if (where.below === 'values') return { ...next, below: where.inList && (key === 'name' || key === 'type') ? 'looks' : 'values' };
  if (where.below === 'valuesButNames') return { ...next, below: /^(name|namespace|kind)$|Name$/.test(key) ? 'looks' : 'valuesButNames' };
  if (isFree(key, where, siblings)) return { ...next, below: 'values' };
  return { ...next, below: isSecretName(key) ? 'valuesButNames' : 'looks' };
}

function isFree(key: string, where: Where, siblings: Record<string, unknown>): boolean {
  // Metadata of webhooks and triggers; the metadata of a pod template is next to its spec.
  if (key === 'metadata') return !('spec' in siblings);
  if (key === 'affinity') return where.key === 'routes';
  // A termination message can come from the log of the container.
  if (key === 'message') return where.key === 'terminated';
  return FREE.test(key) && !/Name$/.test(key);
}

const isOpenAnnotation = (key: string): boolean => !isSecretName(key) && OPEN_ANNOTATIONS.some((pattern) => pattern.test(key));

function leaf(value: string | number, { key, below }: Where, hide: (value: string | number, name: string) => string): string | number {
  if (below !== 'looks')
    return typeof value === 'string' && /^(args|command)$/.test(key) ? flagOf(value, hide) : value === '' ? value : hide(value, key);
  if (typeof value === 'number') return value;
  if (/^(image|imageID|containerID)$/.test(key)) return value;
  const isBare = ADDRESS.test(key) && !value.includes('://') && !value.startsWith('/');
  const shown = redactText(isBare ? addressOf(value) : value.startsWith('/') ? value.replace(/\?.*$/s, `?${HIDDEN}`) : value);
  if (shown !== value) hide(value, '');
  return shown;
}

/** Keeps only the names of flags, and for the controller the values that decide its behaviour. */
function flagOf(value: string, hide: (value: string, name: string) => string): string {
  const [, dashes = '', name = '', given] = /^(--?)([a-z][a-z-]*)(?:=([\s\S]*))?$/.exec(value) ?? [];
  if (name === '') return hide(value, '');
  if (given === undefined || OPEN_FLAGS.test(name)) return redactText(value);
  return `${dashes}${name}=${hide(given, name)}`;
}
