import { describe, expect, it } from 'vitest';
import { type Moment, violationsIn } from './scenarios/adversity/chronicle.ts';

describe('the observer of kill runs', () => {
  it.each([
    { rule: 'I1', moments: [ready('podinfo'), ready('podinfo-primary'), route(70, 20)] },
    { rule: 'I1', moments: [ready('podinfo'), ready('podinfo-primary'), httpProxy(70, 20)] },
    { rule: 'I1', moments: [ready('podinfo'), ready('podinfo-primary'), httpRoute(70, 20)] },
    { rule: 'I2', moments: [ready('podinfo-primary'), deployment('podinfo', '2', 3, 0), httpProxy(90, 10)] },
    { rule: 'I2', moments: [ready('podinfo-primary'), deployment('podinfo', '2', 3, 0), httpRoute(90, 10)] },
    { rule: 'I2', moments: [ready('podinfo-primary'), deployment('podinfo', '2', 3, 0), route(90, 10)] },
    { rule: 'I3', moments: [phase('Progressing'), ready('podinfo-primary'), deployment('podinfo-primary', '2', 3, 3)] },
    { rule: 'I3', moments: [phase('Promoting'), ready('podinfo-primary'), deployment('podinfo-primary', 'bad', 3, 3)] },
    { rule: 'I5', moments: [ready('podinfo'), ready('podinfo-primary'), route(50, 50), deployment('podinfo', '2', 0, 3)] },
    { rule: 'I5', moments: [ready('podinfo'), deployment('podinfo-primary', '1', 3, 0), route(100, 0)] },
  ])('sees a state that breaks $rule', ({ rule, moments }) => {
    expect(violationsIn(moments, { name: 'podinfo' }, new Set(['1', '2'])).join('\n')).toContain(rule);
  });

  it('finds nothing in a promotion as it should be', () => {
    const good = [
      ready('podinfo-primary'),
      route(100, 0),
      phase('Progressing'),
      deployment('podinfo', '2', 3, 3),
      route(70, 30),
      phase('Promoting'),
      deployment('podinfo-primary', '2', 3, 3),
      route(100, 0),
      phase('Succeeded'),
      deployment('podinfo', '2', 0, 3),
    ];
    expect(violationsIn(good, { name: 'podinfo' }, new Set(['1', '2']))).toEqual([]);
  });
});

const sides = (primary: number, canary: number) => [
  { name: 'podinfo-primary', weight: primary },
  { name: 'podinfo-canary', weight: canary },
];

function httpProxy(primary: number, canary: number): Moment {
  return moment('HTTPProxy', 'podinfo', { spec: { routes: [{ services: sides(primary, canary) }] } });
}

function httpRoute(primary: number, canary: number): Moment {
  return moment('HTTPRoute', 'podinfo', { spec: { rules: [{ backendRefs: sides(primary, canary) }] } });
}

function moment(kind: string, name: string, rest: Record<string, unknown>): Moment {
  return { version: 1, kind, name, object: { apiVersion: 'v1', kind, metadata: { name }, ...rest } };
}

function deployment(name: string, version: string, replicas: number, availableReplicas: number): Moment {
  const template = { spec: { containers: [{ image: `podinfo:${version}` }] } };
  return moment('Deployment', name, { spec: { replicas, template }, status: { availableReplicas } });
}

function ready(name: string): Moment {
  return deployment(name, '1', 3, 3);
}

function phase(now: string): Moment {
  return moment('Canary', 'podinfo', { status: { phase: now } });
}

function route(primary: number, canary: number): Moment {
  const to = (host: string, weight: number) => ({ destination: { host }, weight });
  return moment('VirtualService', 'podinfo', {
    spec: { http: [{ route: [to('podinfo-primary', primary), to('podinfo-canary', canary)] }] },
  });
}
