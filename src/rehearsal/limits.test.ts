import { describe, expect, it } from 'vitest';
import type { Canary } from '../api/canary.ts';
import { LONGEST_MS, MOST_REHEARSED_CHECKS, MOST_REHEARSED_PODS, tooLong, withFewerPods, withLessQuota } from './limits.ts';
import { parseScenario } from './scenario.ts';

const canary = (analysis: object) => ({ spec: { analysis: { interval: '1m', threshold: 5, ...analysis } } }) as Canary;
const object = (kind: string, spec: object) => ({ apiVersion: 'x/v1', kind, metadata: { name: 'shop' }, spec });

describe('limits of a rehearsal', () => {
  it.each([
    ['iterations', { iterations: 1_000_000 }, 'spec.analysis.iterations', /makes 1000000 checks of a release, and a rehearsal plays 2000/],
    ['step weights', { stepWeights: Array(5_000).fill(1) }, 'spec.analysis.stepWeights', /makes 5000 checks/],
    ['a small step', { stepWeight: 0.001 }, 'spec.analysis.stepWeight', /makes 100000 checks/],
    ['a small step back', { stepWeight: 50, stepWeightPromotion: 0.001 }, 'spec.analysis.stepWeightPromotion', /makes 100000 checks/],
    [
      'an interval',
      { stepWeight: 10, interval: '1000h' },
      'spec.analysis.interval',
      /is 1000h, so that a release takes longer than the 72 h/,
    ],
    ['an interval and iterations', { iterations: MOST_REHEARSED_CHECKS - 1, interval: '1h' }, 'spec.analysis.interval', /is 1h/],
  ])('%s beyond the limits is refused by its field', (_, analysis, field, message) => {
    expect(tooLong(canary(analysis))).toEqual({ field, message: expect.stringMatching(message) });
  });

  it.each([
    { stepWeight: 1 },
    { iterations: MOST_REHEARSED_CHECKS - 1 },
    { stepWeights: [1, 10, 80], interval: '12h' },
    { iterations: 71, interval: '1h' },
  ])('%j is within the limits', (analysis) => expect(tooLong(canary(analysis))).toBeUndefined());

  it.each([
    ['Deployment', { replicas: 100_000, paused: false }, 'spec.replicas', { replicas: MOST_REHEARSED_PODS, paused: false }],
    [
      'HorizontalPodAutoscaler',
      { minReplicas: 200, maxReplicas: 1e9 },
      'spec.minReplicas',
      { minReplicas: MOST_REHEARSED_PODS, maxReplicas: MOST_REHEARSED_PODS },
    ],
    [
      'ScaledObject',
      { minReplicaCount: 2, maxReplicaCount: 200 },
      'spec.maxReplicaCount',
      { minReplicaCount: 2, maxReplicaCount: MOST_REHEARSED_PODS },
    ],
    [
      'Canary',
      { autoscalerRef: { name: 'x', primaryScalerReplicas: { minReplicas: 1, maxReplicas: 500 } } },
      'spec.autoscalerRef.primaryScalerReplicas.maxReplicas',
      { autoscalerRef: { name: 'x', primaryScalerReplicas: { minReplicas: 1, maxReplicas: MOST_REHEARSED_PODS } } },
    ],
  ])('a %s with more pods than can be modelled gets the maximum', (kind, spec, field, fewer) => {
    expect(withFewerPods(object(kind, spec))).toMatchObject({ field, object: { kind, spec: fewer } });
  });

  it.each([
    ['Deployment', { replicas: MOST_REHEARSED_PODS }],
    ['Deployment', { replicas: 'many' }],
    ['Deployment', {}],
    ['Canary', { autoscalerRef: 5 }],
    ['ConfigMap', { replicas: 1e9 }],
  ])('a %s with %j is not changed', (kind, spec) => expect(withFewerPods(object(kind, spec))).toBeUndefined());

  it('a quota of pods is reduced in proportion to the pods', () => {
    const hard = { pods: '900', 'count/pods': 1200, cpu: '4' };
    expect(withLessQuota(object('ResourceQuota', { hard }), 1 / 6).spec).toEqual({ hard: { pods: 150, 'count/pods': 200, cpu: '4' } });
  });

  it.each(['at', 'for'])('a scenario whose %s is longer than a rehearsal is refused', (field) => {
    const step = { at: '1m', do: 'kill-controller', for: '1m', [field]: `${LONGEST_MS / 3_600_000 + 1}h` };
    const said = expect.stringContaining('write 72h at most');
    expect(parseScenario({ name: 'x', steps: [step] })).toEqual({ problems: [{ path: `steps[0].${field}`, message: said }] });
  });
});
