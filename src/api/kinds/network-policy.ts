import type { KubeObject } from '../kube-object.ts';
import type { LabelSelector } from './label-selector.ts';

/** Of `networking.k8s.io/v1`. */
export interface NetworkPolicy extends KubeObject {
  kind: 'NetworkPolicy';
  spec: {
    /** Pods of its namespace that it isolates; all if empty. */
    podSelector?: LabelSelector;
    /** The server fills it: `Ingress`, and `Egress` if it has rules for it. */
    policyTypes?: readonly string[];
    ingress?: readonly { from?: readonly NetworkPolicyPeer[]; ports?: readonly NetworkPolicyPort[] }[];
    egress?: readonly { to?: readonly NetworkPolicyPeer[]; ports?: readonly NetworkPolicyPort[] }[];
    [field: string]: unknown;
  };
}

/** Selectors, of which both must match if both are set, or an address range. */
export interface NetworkPolicyPeer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string; except?: readonly string[] };
}

export interface NetworkPolicyPort {
  /** Default `TCP`. */
  protocol?: string;
  /** A number, or the name of a port of the receiving pod; any port if absent. */
  port?: number | string;
  /** Last number of a range that begins with `port`. */
  endPort?: number;
}
