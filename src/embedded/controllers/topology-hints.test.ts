import { expect, it } from 'vitest';
import type { Node } from '../../api/kinds/node.ts';
import { type HintedEndpoint, hintByCpu, hintNear, isAutomatic } from './topology-hints.ts';

const node = (name: string, zone: string, cpu = '4', labels: object = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { ...labels, ...(zone === '' ? {} : { 'topology.kubernetes.io/zone': zone }) } },
  status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: 'True' }] },
});
const twoZones = [node('a', 'z1'), node('b', 'z2')];
const at = (zone: string, ready = true): HintedEndpoint => ({ conditions: { ready }, nodeName: `node-of-${zone}`, zone });

/** `zone>hint` of each. */
function hinted(endpoints: readonly HintedEndpoint[]): string[] {
  return endpoints.map(({ zone, hints }) => `${zone}>${hints?.forZones?.map(({ name }) => name) ?? ''}`);
}
function shared(zones: string, nodes: readonly Node[] = twoZones): string[] {
  const endpoints = zones.split(' ').map((zone) => at(zone));
  hintByCpu(endpoints, nodes);
  return hinted(endpoints);
}

it.each([
  ['PreferClose', { forZones: [{ name: 'z1' }] }],
  ['PreferSameZone', { forZones: [{ name: 'z1' }] }],
  ['PreferSameNode', { forZones: [{ name: 'z1' }], forNodes: [{ name: 'node-of-z1' }] }],
  ['example.org/nearest', undefined],
  [undefined, undefined],
])('%s hints %j, its own place, at a ready endpoint, and nothing at another', (distribution, hints) => {
  const endpoints = [at('z1'), at('z1', false)];
  hintNear(endpoints, distribution);
  expect(endpoints.map((endpoint) => endpoint.hints)).toEqual([hints, undefined]);
});

it.each([
  ['service.kubernetes.io/topology-mode', 'Auto', true],
  ['service.kubernetes.io/topology-mode', 'auto', true],
  ['service.kubernetes.io/topology-mode', 'Disabled', false],
  ['service.kubernetes.io/topology-aware-hints', 'Auto', true],
])('%s: %s decides: %s', (annotation, value, expected) => {
  const metadata = { name: 'web', annotations: { [annotation]: value } };
  expect(isAutomatic({ apiVersion: 'v1', kind: 'Service', metadata })).toBe(expected);
});

it.each([
  ['evenly spread: each its own zone', 'z1 z1 z2 z2', 'z1>z1 z1>z1 z2>z2 z2>z2'],
  ['lopsided: the zone that has more gives', 'z1 z1 z1 z2', 'z1>z2 z1>z1 z1>z1 z2>z2'],
  ['all in one zone: half of them are lent', 'z1 z1 z1 z1', 'z1>z2 z1>z2 z1>z1 z1>z1'],
  ['fewer endpoints than zones', 'z1', 'z1>'],
  ['three endpoints for two equal zones would overload one', 'z1 z1 z2', 'z1> z1> z2>'],
])('Auto, %s', (_, zones, expected) => expect(shared(zones).join(' ')).toBe(expected));

it.each([
  ['one zone only', [node('a', 'z1'), node('b', 'z1')]],
  ['a node without a zone', [...twoZones, node('c', '')]],
  ['a node without CPUs', [...twoZones, node('c', 'z2', '0')]],
])('Auto hints nothing with %s', (_, nodes) => expect(shared('z1 z1 z2 z2', nodes).join(' ')).toBe('z1> z1> z2> z2>'));

it('Auto weighs zones by their CPUs, and leaves control planes out', () => {
  const controlPlane = node('c', 'z3', '64', { 'node-role.kubernetes.io/control-plane': '' });
  expect(shared('z1 z1 z2 z2', [node('a', 'z1', '3'), node('b', 'z2', '1'), controlPlane]).join(' ')).toBe('z1>z1 z1>z1 z2>z1 z2>z2');
});
