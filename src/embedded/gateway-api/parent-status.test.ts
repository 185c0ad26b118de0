import { expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { parentStatuses } from './parent-status.ts';

const NOW = '2026-01-01T00:00:00Z';
const gateway: KubeObject = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'edge', namespace: 'prod' },
  spec: { listeners: [{ name: 'http', hostname: '*.example.org', allowedRoutes: { kinds: [{ kind: 'HTTPRoute' }] } }] },
};
const backend: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'a', namespace: 'prod' },
  spec: { ports: [{ port: 80 }] },
};
const known = {
  gateways: () => [gateway],
  grants: () => [],
  service: (namespace: string, name: string) => (namespace === 'prod' && name === 'a' ? backend : undefined),
};
const route = (spec: object, rest: object = {}): KubeObject => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'shop', namespace: 'prod', generation: 4 },
  spec: { parentRefs: [{ name: 'edge' }], rules: [{ backendRefs: [{ name: 'a', port: 80 }] }], ...spec },
  ...rest,
});
const said = (one: KubeObject) =>
  parentStatuses(one, known, NOW).map(({ conditions }) =>
    conditions.map(({ type, status, reason, observedGeneration }) => [type, status, reason, observedGeneration]),
  );

it('a Gateway accepts a route of its listeners, at the generation that it saw', () => {
  expect(said(route({}))).toEqual([
    [
      ['Accepted', 'True', 'Accepted', 4],
      ['ResolvedRefs', 'True', 'ResolvedRefs', 4],
    ],
  ]);
});

it.each([
  { what: 'a listener that is not there', spec: { parentRefs: [{ name: 'edge', sectionName: 'no' }] }, reason: 'NoMatchingParent' },
  { what: 'a host that no listener serves', spec: { hostnames: ['shop.example.net'] }, reason: 'NoMatchingListenerHostname' },
])('$what is refused as $reason', ({ spec, reason }) => {
  expect(said(route(spec))[0]?.[0]).toEqual(['Accepted', 'False', reason, 4]);
});

it.each([
  { what: 'a Service that does not exist', ref: { name: 'b', port: 80 }, reason: 'BackendNotFound' },
  { what: 'another kind', ref: { group: 'x', kind: 'Bucket', name: 'a' }, reason: 'InvalidKind' },
  { what: 'another namespace without a grant', ref: { name: 'a', namespace: 'other', port: 80 }, reason: 'RefNotPermitted' },
])('$what as backend is reported as $reason', ({ ref, reason }) => {
  expect(said(route({ rules: [{ backendRefs: [ref] }] }))[0]?.[1]).toEqual(['ResolvedRefs', 'False', reason, 4]);
});

it('a mesh reports no generation, and a Gateway that does not exist gets no status', () => {
  const parentRefs = [{ group: 'core', kind: 'Service', name: 'a' }, { name: 'other' }];
  expect(said(route({ parentRefs }))).toEqual([
    [
      ['Accepted', 'True', 'Accepted', undefined],
      ['ResolvedRefs', 'True', 'ResolvedRefs', undefined],
    ],
  ]);
});

it('a condition keeps its time as long as it does not change', () => {
  const before = parentStatuses(route({}), known, '2025-01-01T00:00:00Z');
  const times = parentStatuses(route({ rules: [{ backendRefs: [{ name: 'b', port: 80 }] }] }, { status: { parents: before } }), known, NOW);
  expect(times[0]?.conditions.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(['2025-01-01T00:00:00Z', NOW]);
});
