import type { Canary } from '../../api/canary.ts';
import type { LabelSelector } from '../../api/kinds/label-selector.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { type KubeObject, type OwnerReference, refOf } from '../../api/kube-object.ts';
import { isForbidden, isNotFound } from '../../kube/errors.ts';
import { companionKinds, isCompanion } from '../../workloads/companions/index.ts';
import type { DepsOf } from '../controller-deps.ts';
import { companionRefs } from '../facts/companions.ts';
import { primaryRefOf } from '../facts/gather-facts.ts';

type OutlastDeps = DepsOf<'cluster' | 'config' | 'log'>;

/** Owners of one object: when one of these is the last to go, or any after it, no policy is missed. */
const MOST_PODS = 100;

/**
 * Lets the NetworkPolicies of a primary hold until its last pod is gone (I17): terminating pods end the requests that they have, and call others meanwhile. The
 * pods own them beside the anchor, so that the garbage collector deletes them, with or without Serin. Without the right to list pods, or to write policies,
 * they go with the anchor.
 */
export async function letPoliciesOutlast(canary: Canary, anchor: KubeObject, deps: OutlastDeps): Promise<void> {
  const { cluster, config, log } = deps;
  const { apiVersion, kind } = companionKinds.networkPolicies;
  if (!companionRefs(canary, config).some((ref) => ref.kind === kind)) return;
  const { signal } = deps;
  const { namespace } = canary.metadata;
  try {
    const { items } = await cluster.list({ apiVersion, kind, namespace }, { signal });
    const policies = items.map((item) => ({ ...item, apiVersion, kind })).filter((one) => isCompanion(one) && isOwnedBy(one, anchor));
    if (policies.length === 0) return;
    const owners = await podsOfPrimary(canary, deps);
    for (const { metadata, ...policy } of owners.length === 0 ? [] : policies) {
      const { ownerReferences = [], resourceVersion } = metadata;
      const others = ownerReferences.filter(({ uid }) => !owners.some((owner) => owner.uid === uid));
      await cluster.patch(
        refOf({ ...policy, metadata }),
        { metadata: { resourceVersion, ownerReferences: [...others, ...owners] } },
        { signal },
      );
    }
  } catch (error) {
    if (!isForbidden(error) && !isNotFound(error)) throw error;
    const { message: why } = error;
    log.warn({ canary: `${namespace}/${canary.metadata.name}`, why }, 'NetworkPolicies of the primary go before its last pods');
  }
}

const isOwnedBy = ({ metadata }: KubeObject, { metadata: { uid } }: KubeObject): boolean =>
  metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;

/** Its selector has only labels. */
async function podsOfPrimary(canary: Canary, { cluster, signal }: OutlastDeps): Promise<OwnerReference[]> {
  const primary = await cluster.get(primaryRefOf(canary), { signal });
  const { matchLabels = {} } = specOf<{ selector?: LabelSelector }>(primary).selector ?? {};
  const labelSelector = Object.entries(matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  if (labelSelector === '') return [];
  const kind = { apiVersion: 'v1', kind: 'Pod' };
  const { items } = await cluster.list({ ...kind, namespace: canary.metadata.namespace }, { labelSelector, metadataOnly: true, signal });
  return items.slice(0, MOST_PODS).map(({ metadata: { name, uid = '' } }) => ({ ...kind, name, uid }));
}
