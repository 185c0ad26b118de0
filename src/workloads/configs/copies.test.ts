import { describe, expect, it } from 'vitest';
import { parsedCanary } from '../../../test/fakes/parsed-canary.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import type { PrimarySpec } from '../workload.ts';
import { copiesOf, copiesToPrune, isSameCopy, renderCopy } from './copies.ts';

const canaryWith = (uid: string, name = 'checkout'): Canary =>
  parsedCanary({ targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' } }, { name, namespace: 'shop', uid });
const canary = canaryWith('c-1');

function config(fields: Partial<KubeObject> = {}, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'shop', uid: 'u-1', resourceVersion: '7', ...metadata },
    data: { COLOR: 'blue' },
    ...fields,
  };
}
const nameOf = (source: KubeObject, of = canary) => renderCopy(of, source, []).metadata.name;

describe('renderCopy', () => {
  it('contains data, binaryData and type, is immutable, and has no annotation of the source', () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', 'argocd.argoproj.io/tracking-id': 'x' };
    const source = config({ data: { a: '1' }, binaryData: { b: 'AAE=' }, immutable: false }, { annotations, finalizers: ['x'] });
    expect(renderCopy(canary, source, [])).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: expect.stringMatching(/^settings-primary-[0-9a-f]{10}$/),
        namespace: 'shop',
        labels: { 'serin.dev/canary': 'checkout' },
        annotations: { 'serin.dev/canary-uid': 'c-1', 'serin.dev/copied-from': 'settings' },
      },
      data: { a: '1' },
      binaryData: { b: 'AAE=' },
      immutable: true,
    });
    const secret = renderCopy(canary, config({ kind: 'Secret', type: 'kubernetes.io/tls', data: { 'tls.key': 'eA==' } }), []);
    expect(secret).toMatchObject({ kind: 'Secret', type: 'kubernetes.io/tls', data: { 'tls.key': 'eA==' }, immutable: true });
  });

  it('labels with an included prefix are copied; tracking of Argo CD, Flux and Helm never', () => {
    const labels = {
      'app.kubernetes.io/part-of': 'shop',
      'app.kubernetes.io/managed-by': 'Helm',
      'kustomize.toolkit.fluxcd.io/name': 'apps',
      'argocd.argoproj.io/instance': 'shop',
      team: 'payments',
    };
    const labelsFor = (prefix: string) => renderCopy(canary, config({}, { labels }), [prefix]).metadata.labels;
    expect(labelsFor('app.')).toEqual({ 'app.kubernetes.io/part-of': 'shop', 'serin.dev/canary': 'checkout' });
    expect(labelsFor('*')).toEqual({ 'app.kubernetes.io/part-of': 'shop', team: 'payments', 'serin.dev/canary': 'checkout' });
    expect(labelsFor('')).toEqual({ 'serin.dev/canary': 'checkout' });
  });

  it('the name changes with data, binaryData, type, kind, source and Canary, and with nothing else', () => {
    const plain = nameOf(config());
    const same = [
      config({ immutable: true }),
      config({ binaryData: {} }),
      config({}, { labels: { a: 'b' }, annotations: { a: 'b' }, uid: 'u-2', resourceVersion: '8' }),
    ];
    expect(same.map((each) => nameOf(each))).toEqual([plain, plain, plain]);
    const others = [
      nameOf(config({ data: { COLOR: 'red' } })),
      nameOf(config({ data: { COLOUR: 'blue' } })),
      nameOf(config({ binaryData: { logo: 'AAE=' } })),
      nameOf(config({ data: undefined, binaryData: { COLOR: 'blue' } })),
      nameOf(config({ kind: 'Secret', type: 'Opaque' })),
      nameOf(config({ kind: 'Secret', type: 'kubernetes.io/tls' })),
      nameOf(config({}, { name: 'other' })),
      nameOf(config(), canaryWith('c-2')),
    ];
    expect(new Set([plain, ...others]).size).toBe(9);
  });

  it.each([
    { what: 'just fits', name: 'a'.repeat(234), kept: 'a'.repeat(234) },
    { what: 'is too long', name: 'a'.repeat(253), kept: 'a'.repeat(234) },
    { what: 'would be cut after a dot', name: `${'a'.repeat(232)}.-.${'b'.repeat(18)}`, kept: 'a'.repeat(232) },
  ])('a source name that $what gives a name that Kubernetes accepts', ({ name, kept }) => {
    const copy = nameOf(config({}, { name }));
    expect(copy).toMatch(new RegExp(`^${kept}-primary-[0-9a-f]{10}$`));
    expect(copy.length).toBeLessThanOrEqual(253);
  });

  it('two long names with the same beginning get different names', () => {
    expect(nameOf(config({}, { name: `${'a'.repeat(250)}b` }))).not.toBe(nameOf(config({}, { name: `${'a'.repeat(250)}c` })));
  });
});

describe('copiesOf', () => {
  it('copies tracked configs, leaves others under their names, and names missing ones by a name that does not exist', () => {
    const source = config();
    const { copies, names } = copiesOf(
      canary,
      new Map([
        ['configmap/settings', source],
        ['configmap/flags', config({}, { name: 'flags', annotations: { 'flagger.app/config-tracking': 'disabled' } })],
        ['secret/regcred', config({ kind: 'Secret', type: 'kubernetes.io/dockerconfigjson' }, { name: 'regcred' })],
        ['secret/maybe', undefined],
      ]),
      {},
      [],
    );
    expect(copies).toEqual([renderCopy(canary, source, [])]);
    expect([...names]).toEqual([
      ['configmap/settings', nameOf(source)],
      ['secret/maybe', 'maybe-primary-absent'],
    ]);
  });
});

describe('isSameCopy', () => {
  const rendered = renderCopy(canary, config({ data: { a: '1' }, binaryData: {} }), []);
  const held: KubeObject = { ...rendered, metadata: { ...rendered.metadata, uid: 'u-9', resourceVersion: '3', labels: { foreign: 'x' } } };

  it('an object under the name is the copy if label and content match', () => {
    expect(isSameCopy(held, rendered)).toBe(true);
    expect(isSameCopy({ ...held, binaryData: undefined }, rendered)).toBe(true);
  });

  it.each([
    { what: 'a user made', found: { ...held, metadata: { ...held.metadata, annotations: {} } } },
    { what: 'another Canary made', found: { ...held, metadata: { ...held.metadata, annotations: { 'serin.dev/canary-uid': 'c-2' } } } },
    { what: 'holds other data', found: { ...held, data: { a: '2' } } },
    { what: 'holds more', found: { ...held, binaryData: { b: 'AAE=' } } },
  ])('an object that $what is not the copy', ({ found }) => expect(isSameCopy(found, rendered)).toBe(false));
});

describe('copiesToPrune', () => {
  const copy = renderCopy(canary, config(), []);
  const template = (...names: string[]): PrimarySpec => ({
    template: { spec: { volumes: names.map((name) => ({ name, configMap: { name } })) } },
  });

  it('a copy is deleted when no kept template reads it', () => {
    expect(copiesToPrune(canary, [copy], [template('other')])).toEqual([copy]);
    expect(copiesToPrune(canary, [copy], [template('other'), template(copy.metadata.name)])).toEqual([]);
  });

  it('a copy of a Canary that was created again under its name is also deleted: the anchor owns it', () => {
    const owner = { apiVersion: 'apps/v1', kind: 'ControllerRevision', name: 'checkout-serin-anchor', uid: 'a-1' };
    const inherited = renderCopy(canaryWith('c-0'), config(), []);
    const found = { ...inherited, metadata: { ...inherited.metadata, ownerReferences: [owner] } };
    expect(copiesToPrune(canary, [found], [])).toEqual([found]);
  });

  it.each([
    { what: 'another Canary', metadata: { annotations: { ...copy.metadata.annotations, 'serin.dev/canary-uid': 'c-2' } } },
    { what: 'a user who took our label', metadata: { annotations: {} } },
    { what: 'another owner, without annotations', metadata: { annotations: undefined } },
  ])('nothing of $what is deleted', ({ metadata }) => {
    const found = { ...copy, metadata: { ...copy.metadata, ...metadata } } as KubeObject;
    expect(copiesToPrune(canary, [found], [])).toEqual([]);
  });

  it('a Secret of the same name is another object', () => {
    const secret = { ...copy, kind: 'Secret' };
    expect(copiesToPrune(canary, [copy, secret], [template(copy.metadata.name)])).toEqual([secret]);
  });
});
