import { describe } from 'vitest';
import { down, itDecides, late, nowMs, paused, short, weighted } from '../../../test/fakes/deciding.ts';

const state = 'Progressing.scalingUp';
const noTraffic = { routes: weighted(0) };
const off = { release: noTraffic };
const pending = { facts: { converged: false } };

describe('E1, E6, E100: decisions while the canary starts', () => {
  const configs = (resourceVersion: string) => ({ 'configmap/a': { uid: 'u', resourceVersion, checksum: 'x' } });
  const lateNow = { release: { ...noTraffic, ...late } };
  itDecides([
    { state, when: 'the canary has traffic', decision: 'routeToPrimary' },
    { state, when: 'the canary is ready', ...off, decision: 'advance' },
    { state, when: 'something is not written', ...off, ...pending, decision: 'wait' },
    { state, when: 'it is below its threshold', ...off, target: short, decision: 'wait' },
    { state, when: 'it is late', ...lateNow, target: short, decision: 'rollBack' },
    {
      state,
      when: 'it is late while paused',
      release: { ...noTraffic, ...late, ...paused },
      target: short,
      decision: 'wait',
    },
    { state, when: 'it is ready at the deadline', ...lateNow, decision: 'advance' },
    {
      state,
      when: 'its rollout goes on',
      ...lateNow,
      due: true,
      target: { ...short, progress: { lastMs: nowMs - 1, updated: 1 } },
      decision: 'extend',
    },
    {
      state,
      when: 'its rollout went on, and nothing is due',
      ...lateNow,
      target: { ...short, progress: { lastMs: nowMs - 1, updated: 1 } },
      decision: 'wait',
    },
    {
      state,
      when: 'a config was written before there was a pod',
      release: { ...noTraffic, configs: configs('1') },
      target: { ...down, pods: 0, configs: configs('2') },
      decision: 'pin',
    },
  ]);
});
