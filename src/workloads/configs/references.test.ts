import { describe, expect, it } from 'vitest';
import { configReferences, rewriteReferences } from './references.ts';

const both = new Map([
  ['configmap/x', 'x-copy'],
  ['secret/x', 'x-secret-copy'],
]);
const container = (fields: object) => ({ containers: [{ name: 'web', ...fields }] });
const projected = (...sources: object[]) => ({ volumes: [{ name: 'v', projected: { defaultMode: 420, sources } }] });
const items = [{ key: 'a', path: 'b' }];

/** Every place of a reference in every holder, before and after. */
const places = [
  {
    place: 'volumes[].configMap',
    kind: 'ConfigMap',
    before: { volumes: [{ name: 'v', configMap: { name: 'x', items, optional: false } }] },
    after: { volumes: [{ name: 'v', configMap: { name: 'x-copy', items, optional: false } }] },
  },
  {
    place: 'volumes[].secret',
    kind: 'Secret',
    before: { volumes: [{ name: 'v', secret: { secretName: 'x', defaultMode: 256 } }] },
    after: { volumes: [{ name: 'v', secret: { secretName: 'x-secret-copy', defaultMode: 256 } }] },
  },
  {
    place: 'volumes[].projected.sources[].configMap',
    kind: 'ConfigMap',
    before: projected({ serviceAccountToken: { path: 't' } }, { configMap: { name: 'x', items } }),
    after: projected({ serviceAccountToken: { path: 't' } }, { configMap: { name: 'x-copy', items } }),
  },
  {
    place: 'volumes[].projected.sources[].secret',
    kind: 'Secret',
    before: projected({ secret: { name: 'x' } }, { downwardAPI: { items } }),
    after: projected({ secret: { name: 'x-secret-copy' } }, { downwardAPI: { items } }),
  },
  {
    place: 'containers[].env[].valueFrom.configMapKeyRef',
    kind: 'ConfigMap',
    before: container({
      env: [
        { name: 'A', value: 'x' },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'x', key: 'k' } } },
      ],
    }),
    after: container({
      env: [
        { name: 'A', value: 'x' },
        { name: 'B', valueFrom: { configMapKeyRef: { name: 'x-copy', key: 'k' } } },
      ],
    }),
  },
  {
    place: 'containers[].env[].valueFrom.secretKeyRef',
    kind: 'Secret',
    before: container({ env: [{ name: 'B', valueFrom: { secretKeyRef: { name: 'x', key: 'k' } } }] }),
    after: container({ env: [{ name: 'B', valueFrom: { secretKeyRef: { name: 'x-secret-copy', key: 'k' } } }] }),
  },
  {
    place: 'containers[].envFrom[].configMapRef',
    kind: 'ConfigMap',
    before: container({ envFrom: [{ prefix: 'P_', configMapRef: { name: 'x' } }] }),
    after: container({ envFrom: [{ prefix: 'P_', configMapRef: { name: 'x-copy' } }] }),
  },
  {
    place: 'containers[].envFrom[].secretRef',
    kind: 'Secret',
    before: container({ envFrom: [{ secretRef: { name: 'x' } }] }),
    after: container({ envFrom: [{ secretRef: { name: 'x-secret-copy' } }] }),
  },
  {
    place: 'initContainers[] (native sidecars too)',
    kind: 'ConfigMap',
    before: { initContainers: [{ name: 'side', restartPolicy: 'Always', envFrom: [{ configMapRef: { name: 'x' } }] }] },
    after: { initContainers: [{ name: 'side', restartPolicy: 'Always', envFrom: [{ configMapRef: { name: 'x-copy' } }] }] },
  },
];

/** Places that are never read. */
const ignored = [
  { place: 'ephemeral containers', spec: { ephemeralContainers: [{ name: 'debug', envFrom: [{ configMapRef: { name: 'x' } }] }] } },
  { place: 'imagePullSecrets', spec: { imagePullSecrets: [{ name: 'x' }] } },
  { place: 'service accounts', spec: { serviceAccountName: 'x' } },
  { place: 'CSI', spec: { volumes: [{ name: 'v', csi: { driver: 'd', nodePublishSecretRef: { name: 'x' } } }] } },
  { place: 'azureFile', spec: { volumes: [{ name: 'v', azureFile: { secretName: 'x' } }] } },
  { place: 'cephfs', spec: { volumes: [{ name: 'v', cephfs: { secretRef: { name: 'x' } } }] } },
  { place: 'flexVolume', spec: { volumes: [{ name: 'v', flexVolume: { secretRef: { name: 'x' } } }] } },
  { place: 'fieldRef', spec: container({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }) },
  { place: 'a name that is empty', spec: container({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: '', key: 'k' } } }] }) },
  { place: 'not a pod spec', spec: { volumes: 'x', containers: [null, 'x', { env: { name: 'x' }, envFrom: [7] }] } },
];

describe('configReferences', () => {
  it.each(places)('finds $place', ({ before, kind }) => {
    expect(configReferences(before)).toEqual([{ kind, name: 'x', optional: false }]);
  });

  it.each(ignored)('does not look at $place', ({ spec }) => expect(configReferences(spec)).toEqual([]));

  it('volumes come first, then containers, then init containers; each once', () => {
    const spec = {
      initContainers: [{ envFrom: [{ configMapRef: { name: 'c' } }, { configMapRef: { name: 'a' } }] }],
      containers: [{ envFrom: [{ configMapRef: { name: 'b' } }], env: [{ valueFrom: { secretKeyRef: { name: 'a' } } }] }],
      volumes: [{ configMap: { name: 'a' } }],
    };
    expect(configReferences(spec).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'ConfigMap a',
      'Secret a',
      'ConfigMap b',
      'ConfigMap c',
    ]);
  });

  it.each([
    { flags: [true, true], optional: true },
    { flags: [true, false], optional: false },
    { flags: [false, true], optional: false },
    { flags: [true, undefined], optional: false },
  ])('references that are optional $flags are together optional: $optional', ({ flags, optional }) => {
    const spec = { volumes: flags.map((each, index) => ({ name: `v${index}`, configMap: { name: 'x', optional: each } })) };
    expect(configReferences(spec)).toEqual([{ kind: 'ConfigMap', name: 'x', optional }]);
  });

  it('optional as a ConfigMap says nothing of the Secret of the same name', () => {
    const spec = container({ envFrom: [{ configMapRef: { name: 'x', optional: true } }, { secretRef: { name: 'x' } }] });
    expect(configReferences(spec)).toEqual([
      { kind: 'ConfigMap', name: 'x', optional: true },
      { kind: 'Secret', name: 'x', optional: false },
    ]);
  });
});

describe('rewriteReferences', () => {
  it.each(places)('renames $place, and nothing else of it', ({ before, after }) => {
    const untouched = structuredClone(before);
    expect(rewriteReferences<Record<string, unknown>>(before, both)).toEqual(after);
    expect(before).toEqual(untouched);
  });

  it.each(ignored)('leaves $place as it is', ({ spec }) => {
    expect(rewriteReferences<Record<string, unknown>>(spec, both)).toBe(spec);
  });

  it.each(places)('without copies $place passes through', ({ before }) => {
    expect(rewriteReferences<Record<string, unknown>>(before, new Map())).toBe(before);
  });

  it('a ConfigMap and a Secret of one name each get their own copy', () => {
    const spec = container({ envFrom: [{ configMapRef: { name: 'x' } }, { secretRef: { name: 'x' } }] });
    expect(rewriteReferences(spec, new Map([['secret/x', 'y']])).containers).toEqual([
      { name: 'web', envFrom: [{ configMapRef: { name: 'x' } }, { secretRef: { name: 'y' } }] },
    ]);
  });

  it('if an entry names both kinds, the ConfigMap counts', () => {
    const spec = container({ envFrom: [{ configMapRef: { name: 'x' }, secretRef: { name: 'x' } }] });
    expect(configReferences(spec)).toEqual([{ kind: 'ConfigMap', name: 'x', optional: false }]);
    expect(rewriteReferences(spec, both).containers).toEqual([
      { name: 'web', envFrom: [{ configMapRef: { name: 'x-copy' }, secretRef: { name: 'x' } }] },
    ]);
  });
});
