import { describe } from 'vitest';
import { decides, down, itDecides, late, nowMs, paused, short, weighted } from '../../../test/fakes/deciding.ts';

const state = 'Progressing.scalingUp';
const noTraffic = { routes: weighted(0) };
const off = { release: noTraffic };
const pending = { facts: { converged: false } };

describe('E1, E6, E100: decisions while the canary starts', () => {
  const configs = (resourceVersion: string) => ({ 'configmap/a': { uid: 'u', resourceVersion, checksum: 'x' } });
  const lateNow = { release: { ...noTraffic, ...late } };
  itDecides([
    decides(state, 'the canary has traffic', 'routeToPrimary'),
    decides(state, 'the canary is ready', 'advance', off),
    decides(state, 'something is not written', 'wait', { ...off, ...pending }),
    decides(state, 'it is below its threshold', 'wait', { ...off, target: short }),
    decides(state, 'it is late', 'rollBack', { ...lateNow, target: short }),
    decides(state, 'it is late while paused', 'wait', { release: { ...noTraffic, ...late, ...paused }, target: short }),
    decides(state, 'it is ready at the deadline', 'advance', lateNow),
    decides(state, 'its rollout goes on', 'extend', {
      ...lateNow,
      due: true,
      target: { ...short, progress: { lastMs: nowMs - 1, updated: 1 } },
    }),
    decides(state, 'its rollout went on, and nothing is due', 'wait', {
      ...lateNow,
      target: { ...short, progress: { lastMs: nowMs - 1, updated: 1 } },
    }),
    decides(state, 'a config was written before there was a pod', 'pin', {
      release: { ...noTraffic, configs: configs('1') },
      target: { ...down, pods: 0, configs: configs('2') },
    }),
  ]);
});
