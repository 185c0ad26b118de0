import type { KubeObject } from '../../src/api/kube-object.ts';
import { readKinds } from '../../src/arrival/kinds.ts';

/** A kind that no fixture defines: names and versions are all that a request for it needs. */
export interface FurtherKind {
  group: string;
  versions: readonly string[];
  kind: string;
  resource?: string;
  scope?: string;
}

const BUILT_IN = new Set(['', 'apps', 'batch', 'autoscaling', 'policy', 'networking.k8s.io']);
const OF_ROUTES_AND_SCALERS: readonly FurtherKind[] = [
  { group: 'appmesh.k8s.aws', versions: ['v1beta2', 'v1beta1'], kind: 'VirtualNode' },
  { group: 'appmesh.k8s.aws', versions: ['v1beta2', 'v1beta1'], kind: 'VirtualRouter' },
  { group: 'appmesh.k8s.aws', versions: ['v1beta2', 'v1beta1'], kind: 'VirtualService' },
  { group: 'autoscaling.k8s.io', versions: ['v1'], kind: 'VerticalPodAutoscaler' },
  { group: 'kuma.io', versions: ['v1alpha1'], kind: 'TrafficRoute', scope: 'Cluster' },
];

/** Kinds of routes and scalers, and kinds that arrival reads. */
export const FURTHER_KINDS: readonly FurtherKind[] = [
  ...readKinds.filter(
    ({ group, kind }) => !BUILT_IN.has(group) && !OF_ROUTES_AND_SCALERS.some((one) => one.kind === kind && one.group === group),
  ),
  ...OF_ROUTES_AND_SCALERS,
];

/** A definition that takes anything. */
export function definitionOf({ group, versions, kind, resource, scope = 'Namespaced' }: FurtherKind): KubeObject {
  const singular = kind.toLowerCase();
  const plural = resource ?? `${singular}s`;
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    // The API server requires it for groups of Kubernetes' own.
    metadata: { name: `${plural}.${group}`, annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' } },
    spec: {
      group,
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular },
      versions: versions.map((name, place) => ({ name, served: true, storage: place === 0, schema })),
    },
  };
}
