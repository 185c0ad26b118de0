import { expect, it } from 'vitest';
import { parsedCanary } from '../../../test/fakes/parsed-canary.ts';
import type { Canary } from '../../api/canary.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { CanaryRegister } from './canary-register.ts';

const raw: KubeObject = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: 'x' } };
const service = (name: string) => ({ apiVersion: 'v1', kind: 'Service', name, namespace: 'test' });

interface Claims {
  target?: string;
  apex?: string;
  at?: string;
  namespace?: string;
  begun?: boolean;
}

function canary(
  name: string,
  { target = name, apex = target, at = '2026-01-01T00:00:00Z', namespace = 'test', begun = false }: Claims = {},
): Canary {
  const release = {
    ...{ targetUid: 't', revision: 's1:a', observedGeneration: 1, run: 1, step: 'resting', routes: { kind: 'weighted', canary: 0 } },
    ...{ failedChecks: 0, iterations: 0, startedMs: 0, stepStartedMs: 0 },
  };
  return parsedCanary(
    { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target }, service: { name: apex }, analysis: { interval: '1m' } },
    { name, namespace, uid: `uid-${namespace}-${name}`, creationTimestamp: at },
    begun ? { phase: 'Initialized', failedChecks: 0, canaryWeight: 0, iterations: 0, release } : undefined,
  );
}

function registerOf(...canaries: Canary[]): CanaryRegister {
  const register = new CanaryRegister();
  for (const each of canaries)
    register.put(`${each.metadata.namespace}/${each.metadata.name}`, each, raw, [service(each.spec.service.name ?? '')]);
  return register;
}

it.each([
  { what: 'the same target', old: canary('a', { target: 'web', apex: 'one' }), young: { target: 'web', apex: 'two' }, rival: 'test/a' },
  { what: 'the same apex', old: canary('a', { apex: 'web' }), young: { apex: 'web' }, rival: 'test/a' },
  { what: 'nothing', old: canary('a'), young: {}, rival: undefined },
  {
    what: 'a name in another namespace',
    old: canary('a', { target: 'web', namespace: 'other' }),
    young: { target: 'web' },
    rival: undefined,
  },
])('the older of two Canaries that share $what goes on', ({ old, young, rival }) => {
  const register = registerOf(old, canary('b', { ...young, at: '2026-01-02T00:00:00Z' }));
  expect([register.olderRival('test/b'), register.olderRival('test/a')]).toEqual([rival, undefined]);
});

it('of two Canaries made in the same second, the Canary with a release goes on', () => {
  const register = registerOf(canary('a', { target: 'web' }), canary('b', { target: 'web', begun: true }));
  expect([register.olderRival('test/a'), register.olderRival('test/b')]).toEqual(['test/b', undefined]);
});

it('claims and interests of a Canary move with its spec, and go with it', () => {
  const register = registerOf(canary('a', { target: 'web' }), canary('b', { target: 'web' }));
  expect(register.rivalsOf('test/a')).toEqual(['test/b']);
  expect(register.interestedIn(service('web'))).toEqual(['test/a', 'test/b']);
  register.put('test/a', canary('a', { target: 'api' }), raw, [service('api')]);
  expect([register.rivalsOf('test/b'), register.interestedIn(service('web')), register.interestedIn(service('api'))]).toEqual([
    [],
    ['test/b'],
    ['test/a'],
  ]);
  register.remove('test/a');
  expect([register.lastSeen('test/a'), register.keyOf('uid-test-a'), register.interestedIn(service('api'))]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  expect(register.keyOf('uid-test-b')).toBe('test/b');
});

it('a Canary that was made again under its name is found by its new uid only', () => {
  const register = registerOf(canary('a'));
  const again = canary('a');
  again.metadata.uid = 'uid-new';
  register.put('test/a', again, raw, []);
  expect([register.keyOf('uid-test-a'), register.keyOf('uid-new')]).toEqual([undefined, 'test/a']);
});

it('the register keeps the object of the projection, not a copy of it', () => {
  expect(registerOf(canary('a')).lastSeen('test/a')?.raw).toBe(raw);
});

it('I15: an object that was made for one Canary concerns none that looks at all of its kind', () => {
  const register = registerOf(canary('a'), canary('b'));
  const all = { ...service(''), name: '' };
  register.put('test/a', canary('a'), raw, [all]);
  register.put('test/b', canary('b'), raw, [all, service('made')]);
  expect(register.interestedIn(service('made'))).toEqual(['test/b', 'test/a']);
  expect(register.interestedIn(service('made'), { byKind: false })).toEqual(['test/b']);
});
