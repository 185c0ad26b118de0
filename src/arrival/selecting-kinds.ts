import type { LabelSelector } from '../api/kinds/label-selector.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { groupOf, type KubeObject, type Labels } from '../api/kube-object.ts';
import type { LossKind } from './plan.ts';

/** A kind whose objects select pods by their labels. */
export interface SelectingKind {
  group: string;
  /** Versions to read it in, the newest first. */
  versions: readonly string[];
  kind: string;
  /** Plural, as the API names it. */
  resource: string;
  loss: LossKind;
  /** Path of the selector, for messages. */
  field: string;
  /** Its selector, `undefined` if it selects by no label, as a policy of the whole namespace. */
  selector(object: KubeObject): LabelSelector | undefined;
  /** The namespaces whose pods it selects; its own if absent. */
  namespaces?(object: KubeObject): readonly string[] | 'any';
  /** Returns the object with another selector. */
  withSelector(object: KubeObject, selector: LabelSelector): KubeObject;
  /** A clause: the effect on pods without it. */
  means: string;
  /** The end of a clause: a further step that the object for the primary needs. */
  beside?(object: KubeObject): string;
}

type Spec = Record<string, unknown>;

/** A LabelSelector at `spec.FIELD`. */
const at = (name: string) => ({
  field: `spec.${name}`,
  selector: (object: KubeObject) => specOf<Spec>(object)[name] as LabelSelector | undefined,
  withSelector: (object: KubeObject, selector: LabelSelector): KubeObject => ({
    ...object,
    spec: { ...specOf<Spec>(object), [name]: selector },
  }),
});

/** Labels at `spec.FIELD.LABELS`, as Istio has them. */
const labelsAt = (name: string, labels: string) => ({
  field: `spec.${name}.${labels}`,
  selector(object: KubeObject): LabelSelector | undefined {
    const found = specOf<Spec>(object)[name] as Record<string, Labels> | undefined;
    return found?.[labels] && { matchLabels: found[labels] };
  },
  withSelector: (object: KubeObject, { matchLabels = {} }: LabelSelector): KubeObject => ({
    ...object,
    spec: { ...specOf<Spec>(object), [name]: { [labels]: matchLabels } },
  }),
});

/** Cilium's keys may name the source of a label. */
function withoutSource(selector: LabelSelector | undefined): LabelSelector | undefined {
  const plain = (key: string) => key.replace(/^(?:k8s|any):/, '');
  return (
    selector && {
      matchLabels: Object.fromEntries(Object.entries(selector.matchLabels ?? {}).map(([key, value]) => [plain(key), value])),
      matchExpressions: (selector.matchExpressions ?? []).map((one) => ({ ...one, key: plain(one.key) })),
    }
  );
}

/** `spec.namespaceSelector` of a monitor of the Prometheus Operator. */
export function monitored(object: KubeObject): readonly string[] | 'any' {
  const { namespaceSelector } = specOf<{ namespaceSelector: { any?: boolean; matchNames?: string[] } }>(object);
  if (namespaceSelector?.any === true) return 'any';
  return namespaceSelector?.matchNames ?? [object.metadata.namespace ?? ''];
}

const istioSecurity = {
  group: 'security.istio.io',
  versions: ['v1', 'v1beta1'],
  loss: 'security',
  ...labelsAt('selector', 'matchLabels'),
} as const;

/** All kinds that are checked, except Services and the peers of NetworkPolicies. */
export const selectingKinds: readonly SelectingKind[] = [
  {
    ...{ group: 'policy', versions: ['v1'], kind: 'PodDisruptionBudget', resource: 'poddisruptionbudgets', loss: 'availability' },
    ...at('selector'),
    means: 'a drain may evict all of them at once',
  },
  {
    ...{ group: 'networking.k8s.io', versions: ['v1'], kind: 'NetworkPolicy', resource: 'networkpolicies', loss: 'security' },
    ...at('podSelector'),
    means: 'its rules do not hold for them',
  },
  { ...istioSecurity, kind: 'AuthorizationPolicy', resource: 'authorizationpolicies', means: 'its rules do not hold for them' },
  { ...istioSecurity, kind: 'PeerAuthentication', resource: 'peerauthentications', means: 'its mode of mutual TLS does not hold for them' },
  { ...istioSecurity, kind: 'RequestAuthentication', resource: 'requestauthentications', means: 'they check no token of a request' },
  {
    ...{ group: 'policy.linkerd.io', versions: ['v1beta3', 'v1beta2', 'v1beta1'], kind: 'Server', resource: 'servers', loss: 'security' },
    ...at('podSelector'),
    means: 'its authorizations do not hold for them',
    // Authorizations name the Server. A Server without one admits no request.
    beside: ({ metadata }) => `, and authorize it as Server ${metadata.name} is`,
  },
  {
    ...{ group: 'cilium.io', versions: ['v2'], kind: 'CiliumNetworkPolicy', resource: 'ciliumnetworkpolicies', loss: 'security' },
    ...at('endpointSelector'),
    selector: (object) => withoutSource(at('endpointSelector').selector(object)),
    means: 'its rules do not hold for them',
  },
  {
    ...{ group: 'networking.istio.io', versions: ['v1', 'v1beta1'], kind: 'Sidecar', resource: 'sidecars', loss: 'traffic' },
    ...labelsAt('workloadSelector', 'labels'),
    means: 'their proxies have the configuration of the namespace',
  },
  {
    ...{ group: 'monitoring.coreos.com', versions: ['v1'], kind: 'PodMonitor', resource: 'podmonitors', loss: 'monitoring' },
    ...at('selector'),
    namespaces: monitored,
    means: 'Prometheus scrapes none of them',
  },
];

/** Finds the entry of an object's kind. */
export function selectingKind(object: KubeObject): SelectingKind | undefined {
  return selectingKinds.find(({ group, kind }) => kind === object.kind && group === groupOf(object.apiVersion));
}
