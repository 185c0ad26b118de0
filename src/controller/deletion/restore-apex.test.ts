import { describe, expect, it } from 'vitest';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { fluxOff } from '../../api/names.ts';
import { mergePatch } from '../../embedded/apiserver/patch.ts';
import { apexOriginal } from '../adoption/apex-original.ts';
import { apexMovePatch, apexRestorePatch } from './restore-apex.ts';

const own = { key: 'app', value: 'shop' };
const target = { spec: { template: { metadata: { labels: { app: 'shop', tier: 'web' } } } } } as unknown as KubeObject;
const http = { name: 'http', port: 80, targetPort: 8080 };
const aService = (metadata: object = {}, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'shop', namespace: 'prod', ...metadata },
  spec: { selector: { app: 'shop-primary' }, ports: [http], ...spec },
});
const applied = (manifest: object | string) => ({
  'kubectl.kubernetes.io/last-applied-configuration': typeof manifest === 'string' ? manifest : JSON.stringify(manifest),
});
/** The Service in the cluster afterwards. The second time nothing is left to do. */
function given(service: KubeObject, original?: Parameters<typeof apexRestorePatch>[3]): KubeObject {
  const after: KubeObject = mergePatch(
    structuredClone(service),
    JSON.parse(JSON.stringify(apexRestorePatch(service, target, own, original) ?? {})),
  );
  expect(apexRestorePatch(after, target, own, original)).toBeUndefined();
  return after;
}

describe('the selector of an apex Service that is restored', () => {
  const whole = { app: 'shop', tier: 'web' };
  it.each([
    { what: 'its own, of several labels', original: { selector: whole }, becomes: whole },
    {
      what: 'what was applied last, before that',
      annotations: applied({ spec: { selector: whole } }),
      original: { selector: { app: 'shop' } },
      becomes: whole,
    },
    {
      what: "the target's, where its own finds other pods",
      original: { selector: { app: 'shop', tier: 'old' } },
      becomes: { app: 'shop' },
    },
    {
      what: "the target's, where another controller had it on the primary",
      original: { selector: { app: 'shop-primary' } },
      becomes: { app: 'shop' },
    },
    { what: "the target's, where its own could find pods of others", original: { selector: { tier: 'web' } }, becomes: { app: 'shop' } },
    { what: "the target's, where nothing readable was applied", annotations: applied('{'), becomes: { app: 'shop' } },
    { what: "the target's, where it is ours", becomes: { app: 'shop' } },
  ])('is $what', ({ annotations, original, becomes }) => {
    const service = aService({ annotations }, { selector: { app: 'shop-primary', stray: 'x' } });
    expect(raw(given(service, original)).spec.selector).toEqual(becomes);
  });
});

describe('I17: the selector that was narrowed by hand before the Canary, as by kubectl patch', () => {
  const narrow = { app: 'shop', tier: 'web' };
  const wide = { spec: { selector: { app: 'shop' } } };
  const original = apexOriginal(aService({ annotations: applied(wide) }, { selector: narrow }));
  const restored = (annotations: object) => raw(given(aService({ annotations }), original)).spec.selector;

  it('comes back, though kubectl remembers another', () => {
    expect(restored(applied(wide))).toEqual(narrow);
    expect(restored(applied({ ...wide, metadata: { labels: { team: 'b' } } }))).toEqual(narrow);
  });

  it('gives way to a selector that was applied since', () => {
    const early = apexOriginal(aService({ annotations: applied({ spec: { selector: narrow } }) }, { selector: narrow }));
    expect(raw(given(aService({ annotations: applied(wide) }), early)).spec.selector).toEqual({ app: 'shop' });
  });
});

it('annotations, labels and ports that were ours go, and those of the user come back', () => {
  const before = aService(
    { labels: { app: 'frontend', team: 'a' }, annotations: { mine: 'yes' } },
    { ports: [http, { name: 'admin', port: 81, nodePort: 30_081 }, { port: 80, protocol: 'UDP' }, { name: 'http', port: 90 }] },
  );
  const taken = aService({
    labels: { app: 'shop', team: 'b' },
    annotations: { mine: 'yes', ...fluxOff },
    ownerReferences: [{ kind: 'X', name: 'x', uid: 'x' }],
  });
  const { metadata, spec } = raw(given(taken, apexOriginal(before)));
  expect(metadata).toEqual({ name: 'shop', namespace: 'prod', labels: { app: 'frontend', team: 'b' }, annotations: { mine: 'yes' } });
  expect(spec.ports).toEqual([http, { name: 'admin', port: 81 }, { port: 80, protocol: 'UDP' }]);
});

it('DF842: a port that has left the manifest of kubectl apply does not come back', () => {
  const admin = { name: 'admin', port: 81 };
  const before = aService({ annotations: applied({ spec: { ports: [http, admin] } }) }, { ports: [http, admin] });
  const later = (ports: object[]) => aService({ annotations: applied({ spec: { ports } }) });
  expect(raw(given(later([http]), apexOriginal(before))).spec.ports).toEqual([http]);
  expect(raw(given(later([http, admin]), apexOriginal(before))).spec.ports).toEqual([http, admin]);
});

it('a Service without ports, or without recorded ones, keeps or gets the known ports', () => {
  const bare = aService({}, { ports: undefined });
  expect(raw(given(bare, { selector: {}, ports: [http] })).spec.ports).toEqual([http]);
  expect(raw(given(bare, { selector: {} })).spec.ports).toBeUndefined();
  expect(raw(given(aService(), { selector: {} })).spec.ports).toEqual([http]);
});

it.each([
  {
    what: 'come back as they were applied, where nothing else is recorded',
    manifest: { metadata: { labels: { app: 'frontend' } }, spec: { ports: [http, { name: 'admin', port: 81 }] } },
    labels: { app: 'frontend', team: 'b' },
    ports: [http, { name: 'admin', port: 81 }],
  },
  {
    what: 'stay where what was applied makes no sense',
    manifest: { metadata: { labels: 7 }, spec: { ports: [null, 'x'] } },
    labels: { team: 'b' },
    ports: [http],
  },
])('labels and ports $what', ({ manifest, labels, ports }) => {
  const { metadata, spec } = raw(
    given(aService({ labels: { app: 'shop', team: 'b' }, annotations: { ...fluxOff, ...applied(manifest) } })),
  );
  expect([metadata.labels, spec.ports]).toEqual([labels, ports]);
});

it.each([
  { what: 'stay where the user had them', annotations: fluxOff, original: apexOriginal(aService({ annotations: fluxOff })), left: fluxOff },
  {
    what: 'stay where the user applied them',
    annotations: { ...fluxOff, ...applied({ metadata: { annotations: fluxOff } }) },
    left: fluxOff,
  },
  {
    what: 'go where the controller before us had written them',
    annotations: { ...fluxOff, ...applied({}) },
    original: apexOriginal(aService({ annotations: fluxOff })),
    left: {},
  },
  { what: 'go where none is known', annotations: fluxOff, original: { selector: {} }, left: {} },
])('the annotations that keep GitOps tools away $what', ({ annotations, original, left }) => {
  const found = given(aService({ annotations }), original).metadata.annotations ?? {};
  expect(Object.fromEntries(Object.entries(found).filter(([key]) => key in fluxOff))).toEqual(left);
});

it('I5: where the target is gone, all of it goes to the other side, and the rest stays unmodified', () => {
  const split = aService({ annotations: fluxOff }, { selector: { app: 'shop', tier: 'web' } });
  const after: KubeObject = mergePatch(
    structuredClone(split),
    JSON.parse(JSON.stringify(apexMovePatch(split, { key: 'app', value: 'shop-primary' }, null))),
  );
  expect([raw(after).spec.selector, after.metadata.annotations]).toEqual([{ app: 'shop-primary' }, fluxOff]);
  expect(apexMovePatch(after, { key: 'app', value: 'shop-primary' }, null)).toBeUndefined();
});

it.each([
  { what: 'a selector that is a text', manifest: { metadata: {}, spec: { selector: 'x' } } },
  { what: 'a selector of numbers', manifest: { metadata: {}, spec: { selector: { app: 7 } } } },
  { what: 'a selector with a prototype', manifest: '{"metadata":{},"spec":{"selector":{"__proto__":{"app":"x"}}}}' },
  {
    what: 'ports that are no ports',
    manifest: { metadata: {}, spec: { ports: ['x', null, { port: 'y' }, { port: 1e300 }, { port: -1 }] } },
  },
  { what: 'labels that are a list', manifest: { metadata: { labels: [null] }, spec: {} } },
  { what: 'annotations that are a text', manifest: { metadata: { annotations: 'x' }, spec: {} } },
  { what: 'null everywhere', manifest: { metadata: null, spec: null } },
  { what: 'a list', manifest: [] },
  { what: 'brackets without end', manifest: `{"metadata":{},"spec":{"selector":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}}` },
])('the last applied manifest blocks no deletion, with $what', ({ manifest }) => {
  const after = given(aService({ annotations: applied(manifest) }));
  expect([raw(after).spec.selector, raw(after).spec.ports]).toEqual([{ app: 'shop' }, [http]]);
});
