import type { KubeObject } from '../api/kube-object.ts';

/** Schema of an object that keeps every field. */
export const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

/** A CRD without a schema of its own: the data plane judges the content of its objects. The first version is stored. */
export function definition(
  group: string,
  kind: string,
  plural: string,
  versions: readonly string[],
  spec: object = open,
  shortNames: readonly string[] = [],
): KubeObject {
  const schema = { openAPIV3Schema: { ...open, properties: { spec } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List`, ...(shortNames.length > 0 && { shortNames }) },
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema, subresources: { status: {} } })),
    },
  };
}
