import { createHash } from 'node:crypto';
import type { LabelSelector } from '../../api/kinds/label-selector.ts';
import type { KubeObject, Labels, OwnerReference } from '../../api/kube-object.ts';
import { termHolds } from '../nodes/node-fit.ts';

/** Tests if labels satisfy a selector; an empty selector matches everything. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (!selector) return false;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => termHolds(requirement, labels[requirement.key]))
  );
}

/** Ten characters without vowels, so that no name spells a word; as the real controllers' hashes look. */
export function shortHash(text: string): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  return [...createHash('sha256').update(text).digest().subarray(0, 10)].map((byte) => alphabet[byte % alphabet.length]).join('');
}

export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.controller);

export const controllerReference = (owner: KubeObject): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name,
  uid: owner.metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});
