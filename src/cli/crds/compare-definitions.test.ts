import { describe, expect, it } from 'vitest';
import { raw } from '../../../test/fakes/raw.ts';
import { crds, type StructuralSchema, schemaOf } from '../../api/crds.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { compareDefinitions } from './compare-definitions.ts';

const [canary] = crds();
if (!canary) throw new Error('there is a Canary');

/** The definition with one change to its schema or to itself. */
function withChange(change: (crd: KubeObject, spec: StructuralSchema) => void): KubeObject {
  const copy = structuredClone(canary) as KubeObject;
  const spec = schemaOf(copy).properties?.spec;
  if (!spec) throw new Error('a Canary has a spec');
  change(copy, spec);
  return copy;
}
const fields = (spec: StructuralSchema): Record<string, StructuralSchema> => spec.properties ?? {};

describe('the definitions of a cluster and ours', () => {
  it('are the same where only texts and the server’s own fields differ', () => {
    const live = withChange((crd, spec) => {
      spec.description = 'other words';
      raw(crd).spec.conversion = { strategy: 'None' };
      raw(crd).spec.versions[0].additionalPrinterColumns[0].priority = 0;
      crd.status = { storedVersions: ['v1beta1'] };
    });
    expect(compareDefinitions(live, canary)).toEqual([]);
  });

  it.each([
    {
      what: 'a field that the cluster does not know yet',
      change: (_: KubeObject, spec: StructuralSchema) => void delete fields(spec).suspend,
      found: [{ kind: 'new', at: 'v1beta1 spec.suspend', says: 'a field (boolean)' }],
    },
    {
      what: 'a field that we do not have',
      change: (_: KubeObject, spec: StructuralSchema) => Object.assign(fields(spec), { own: { type: 'string' } }),
      found: [{ kind: 'lost', at: 'v1beta1 spec.own', says: 'a field (string)' }],
    },
    {
      what: 'a field inside of a list that we do not have',
      change: (_: KubeObject, spec: StructuralSchema) =>
        Object.assign(fields(fields(spec).analysis?.properties?.metrics?.items ?? {}), { own: { type: 'integer' } }),
      found: [{ kind: 'lost', at: 'v1beta1 spec.analysis.metrics[].own', says: 'a field (integer)' }],
    },
    {
      what: 'another type',
      change: (_: KubeObject, spec: StructuralSchema) => Object.assign(fields(spec), { suspend: { type: 'string' } }),
      found: [{ kind: 'changed', at: 'v1beta1 spec.suspend type', says: '"string" becomes "boolean"' }],
    },
    {
      what: 'fields that no schema names',
      change: (_: KubeObject, spec: StructuralSchema) => Object.assign(spec, { 'x-kubernetes-preserve-unknown-fields': true }),
      found: [
        { kind: 'changed', at: 'v1beta1 spec x-kubernetes-preserve-unknown-fields', says: 'true becomes unset' },
        { kind: 'lost', at: 'v1beta1 spec', says: 'keeps fields that no schema names' },
      ],
    },
    {
      what: 'another version that is served',
      change: (crd: KubeObject) => void raw(crd).spec.versions.push({ name: 'v2', served: true, storage: false }),
      found: [{ kind: 'lost', at: 'v2', says: 'is a served version' }],
    },
    {
      what: 'another version in which objects are stored',
      change: (crd: KubeObject) => {
        raw(crd).spec.versions.push({ name: 'v1alpha1', served: false, storage: false });
        crd.status = { storedVersions: ['v1alpha1', 'v1beta1'] };
      },
      found: [{ kind: 'lost', at: 'v1alpha1', says: 'is a version in which objects are stored' }],
    },
    {
      what: 'an old version that no object uses',
      change: (crd: KubeObject) => void raw(crd).spec.versions.push({ name: 'v1alpha1', served: false, storage: false }),
      found: [],
    },
    {
      what: 'what is inside of a field that keeps everything',
      change: (crd: KubeObject) => {
        const release = schemaOf(crd).properties?.status?.properties?.release;
        if (release) release.properties = { ...release.properties, own: { type: 'string' } };
      },
      found: [],
    },
    {
      what: 'other names',
      change: (crd: KubeObject) => Object.assign(raw(crd).spec.names, { categories: ['other'] }),
      found: [{ kind: 'changed', at: 'names.categories', says: '["other"] becomes ["all"]' }],
    },
  ])('$what is reported', ({ change, found }) => {
    expect(compareDefinitions(withChange(change), canary)).toEqual(found);
  });
});
