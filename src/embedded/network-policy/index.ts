import type { NetworkPolicy } from '../../api/kinds/network-policy.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { allSynced, keyOf, watchObjects } from '../controllers/object-store.ts';
import { type ConnectionEnd, connectionRefusal, type PolicyState } from './connection.ts';

const POLICY = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' } as const;

/** The work of a network plug-in: it holds connections to pods to the NetworkPolicies of the cluster, each change at once. */
export class NetworkPolicies {
  readonly #stores;
  #state: PolicyState;
  readonly synced: Promise<void>;

  constructor(cluster: Cluster) {
    const policies = watchObjects<NetworkPolicy>(cluster, POLICY, () => {
      this.#state = { ...this.#state, policies: policies.list() };
    });
    const namespaces = watchObjects(cluster, { apiVersion: 'v1', kind: 'Namespace' }, () => undefined);
    this.#state = { policies: [], labelsOf: (name) => namespaces.get(name)?.metadata.labels ?? {} };
    this.#stores = { policies, namespaces };
    this.synced = allSynced(this.#stores);
  }

  /** The same as `connectionRefusal`; `to` is only computed if there is any policy. */
  refusal(from: ConnectionEnd, to: () => ConnectionEnd, port: number | undefined): string | undefined {
    return this.#state.policies.length === 0 ? undefined : connectionRefusal(this.#state, from, to(), port);
  }

  /** Tests if this version of a policy or namespace, or a later one, is enforced; true for every other kind. */
  knows({ kind, apiVersion, metadata }: KubeObject): boolean {
    const { policies, namespaces } = this.#stores;
    const store = kind === 'NetworkPolicy' && apiVersion === POLICY.apiVersion ? policies : kind === 'Namespace' ? namespaces : undefined;
    return store === undefined || Number(store.get(keyOf({ metadata }))?.metadata.resourceVersion) >= Number(metadata.resourceVersion);
  }

  stop(): void {
    for (const store of Object.values(this.#stores)) store.stop();
  }
}
