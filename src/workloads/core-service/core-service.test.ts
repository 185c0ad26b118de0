import { describe, expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import type { Slim } from '../../api/kube-object.ts';
import { coreService } from './core-service.ts';
import { slimSlice } from './endpoints.ts';

const namespace = 'test';
const canary = aCanary();
const target = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'podinfo', namespace, uid: 's-1' },
  spec: { selector: { app: 'podinfo' }, ports: [{ name: 'http', port: 80 }] },
};
const options = {
  selector: { key: 'app', target: 'podinfo', primary: 'podinfo-primary' },
  selectorLabels: ['app'],
  includeLabelPrefix: [],
  revision: 's1:a',
  replicas: 1,
};
const slice = (of: string, ready: (boolean | undefined)[], name = `${of}-1`): Slim =>
  slimSlice({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, namespace, labels: { 'kubernetes.io/service-name': of } },
    endpoints: ready.map((one) => ({ addresses: ['10.0.0.1'], conditions: one === undefined ? {} : { ready: one } })),
  });

/** The sides with these objects; the primary and the canary copy are made as in a bootstrap. */
function sidesOf(change: object, ...slices: Slim[]) {
  const changed = { ...target, spec: { ...target.spec, ...change } };
  const copies = [coreService.renderPrimary(canary, changed, options), coreService.renderCanary?.(canary, changed)];
  const objects = [changed, ...copies].flatMap((object) => object ?? []);
  return coreService.sides(canary, {
    find: ({ name }) => {
      const object = objects.find(({ metadata }) => metadata.name === name);
      return object && { object, revision: coreService.revision(object) };
    },
    all: () => slices.map((object) => ({ object })),
  });
}

describe('the sides of a Service target', () => {
  it.each([
    { what: 'a ready endpoint', slices: [slice('podinfo-canary', [true, false])], serving: true },
    { what: 'one of which nothing is known', slices: [slice('podinfo-canary', [undefined])], serving: true },
    { what: 'none that is ready', slices: [slice('podinfo-canary', [false])], serving: false },
    { what: 'none at all', slices: [], serving: false },
    { what: "only another Service's", slices: [slice('podinfo-primary', [true])], serving: false },
  ])('a copy with $what serves: $serving', ({ slices, serving }) => {
    const { target: side } = sidesOf({}, ...slices);
    expect([side?.serving, side?.readiness.state]).toEqual([serving, serving ? 'ready' : 'waiting']);
  });

  it.each([
    { what: 'a name for another host', change: { type: 'ExternalName', externalName: 'a.example', selector: undefined } },
    { what: 'a Service whose endpoints another controller keeps', change: { selector: undefined } },
  ])('the readiness of $what is unknown, and counts as ready', ({ change }) => {
    const { target: side, primary } = sidesOf(change);
    const one = { state: 'ready', ready: 1, wanted: 1 };
    expect([side?.readiness, primary?.readiness]).toEqual([one, one]);
  });
});

it('trafficDistribution is in both copies, and is kept after a promotion', () => {
  const wished = { ...canary, spec: { ...canary.spec, service: { ...canary.spec.service, trafficDistribution: 'PreferClose' as const } } };
  const primary = coreService.renderPrimary(wished, target, options);
  expect(primary.spec).toMatchObject({ trafficDistribution: 'PreferClose' });
  expect(coreService.renderCanary?.(wished, target).spec).toMatchObject({ trafficDistribution: 'PreferClose' });
  const patch = JSON.stringify(coreService.promotionPatch(primary, coreService.primaryTemplate(wished, target, options)));
  expect(patch).not.toMatch(/"remove"[^}]*trafficDistribution/);
});

it('fields that the user sets decide the revision, and fields that the server allocates do not', () => {
  const handed = { ...target, spec: { ...target.spec, clusterIP: '10.1.2.3', clusterIPs: ['10.1.2.3'] } };
  expect(coreService.revision(handed)).toBe(coreService.revision(target));
  expect(coreService.revision({ ...target, spec: { ...target.spec, selector: { app: 'other' } } })).not.toBe(coreService.revision(target));
});
