import { expect, it } from 'vitest';
import { findings, findingsOnce } from './findings.ts';
import { parseCanary } from './parse-canary.ts';

function aCanary() {
  const read = parseCanary({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'shop' },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
      service: { port: 80 },
      analysis: { interval: '1m', threshold: 5, stepWeight: 10 },
    },
  });
  if ('problems' in read) throw new Error('unreadable');
  return read.canary;
}

it('findings of a Canary are found once for each provider, and are those of that provider', () => {
  const canary = aCanary();
  for (const provider of ['nginx', 'istio', undefined] as const) {
    const found = findingsOnce(canary, provider);
    expect(found).toEqual(findings(canary, provider && { provider }));
    expect(findingsOnce(canary, provider)).toBe(found);
  }
  expect(findingsOnce(canary, 'nginx')).not.toEqual(findingsOnce(canary, 'istio'));
});

it('another Canary, an edited one for instance, has findings of its own', () => {
  const canary = aCanary();
  const named = { ...canary, spec: { ...canary.spec, provider: 'istio' as const } };
  expect(findingsOnce(canary, 'nginx').map(({ path }) => path)).toContain('spec.ingressRef');
  expect(findingsOnce(named, 'nginx').map(({ path }) => path)).not.toContain('spec.ingressRef');
});
