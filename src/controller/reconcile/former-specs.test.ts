import { expect, it } from 'vitest';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import type { RoutedFor } from '../../api/canary-status.ts';
import { specsOfLeftRoutes } from './former-specs.ts';

const service = { port: 8080, name: 'former' };

it.each<{ what: string; left: RoutedFor; found: object[] }>([
  { what: 'a provider and its Service', left: { provider: 'istio', spec: { service } }, found: [{ provider: 'istio', service }] },
  { what: 'a provider that this Serin does not know', left: { provider: 'later', spec: { service } }, found: [] },
  { what: 'a spec that it cannot read', left: { provider: 'istio', spec: { service: { port: 'http' } } }, found: [] },
  { what: 'neither', left: { provider: 'later', spec: {} }, found: [] },
])('E113: of routes that an edit has left, $what is a spec to look by: $found', ({ left, found }) => {
  const { release } = initialized();
  const ingressRef = { apiVersion: 'networking.k8s.io/v1' as const, kind: 'Ingress' as const, name: 'now' };
  const canary = aCanary({}, { provider: 'nginx', ingressRef });
  const status = {
    phase: 'Initialized' as const,
    failedChecks: 0,
    canaryWeight: 0,
    iterations: 0,
    release: { ...release, leftRoutes: [left] },
  };
  const { targetRef, analysis, progressDeadlineSeconds } = canary.spec;
  expect(specsOfLeftRoutes({ ...canary, status }).map(({ spec }) => spec)).toEqual(
    found.map((one) => ({ targetRef, analysis, progressDeadlineSeconds, ...one })),
  );
  expect(specsOfLeftRoutes(canary)).toEqual([]);
});
