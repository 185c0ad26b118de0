import { describe, expect, it } from 'vitest';
import { type MeasuredPod, replicasByAverage, replicasByPods, replicasByValue } from './fakes/autoscaler/replica-calculator.ts';

const ready = (...usages: number[]): MeasuredPod[] => usages.map((usage) => ({ isUnready: false, usage }));
const unready = (count: number): MeasuredPod[] => Array.from({ length: count }, () => ({ isUnready: true, usage: undefined }));
const missing = (count: number): MeasuredPod[] => Array.from({ length: count }, () => ({ isUnready: false, usage: undefined }));

describe('replicas of an HPA, as Kubernetes computes them', () => {
  it.each([
    ['twice the average doubles', ready(200, 200), 2, 4],
    ['within the tolerance nothing changes', ready(108, 110), 2, 2],
    ['half of it halves', ready(50, 50), 2, 1],
    ['pending pods hold up a rise', [...ready(200, 200), ...unready(2)], 4, 4],
    ['pending pods are not counted where the ready ones are idle', [...ready(10, 10), ...unready(4)], 6, 1],
    ['a pod without a metric holds up a fall', [...ready(50, 50), ...missing(2)], 4, 3],
    ['a pod without a metric is idle where the others ask for more', [...ready(200, 200), ...missing(1)], 3, 4],
    ['what would turn round changes nothing', [...ready(120), ...missing(3)], 4, 4],
    ['a pod without a metric is idle where the others are just well used', [...ready(100, 100), ...missing(2)], 4, 2],
    ['no pod is measured', unready(2), 2, undefined],
  ])('by pods: %s', (_, pods, current, wanted) => expect(replicasByPods(pods, 100, current)).toBe(wanted));

  it.each([
    [30, 10, 2, 2, 6],
    [10.5, 10, 4, 4, 4],
    [30, 10, 1, 4, 3],
  ])('by a value: %d of %d with %d ready pods of %d is %d', (value, target, readyPods, current, wanted) =>
    expect(replicasByValue(value, target, readyPods, current)).toBe(wanted),
  );

  it.each([
    [10, 10, 6, 1],
    [65, 10, 6, 6],
    [95, 10, 6, 10],
  ])('by an average: %d at %d for each of %d pods is %d', (value, average, current, wanted) =>
    expect(replicasByAverage(value, average, current)).toBe(wanted),
  );
});
