import { describe } from 'vitest';
import { decides, down, drainMs, itDecides, late, nowMs, paused, weighted } from '../../../test/fakes/deciding.ts';

const step = (name: string) => ({ state: `Progressing.${name}` });
const noTraffic = { routes: weighted(0) };
const off = { release: noTraffic };
const pending = { facts: { converged: false } };

describe('E56: decisions while old pods are recycled', () => {
  itDecides([
    decides(step('recycleRouting'), 'the canary has traffic', 'routeToPrimary'),
    decides(step('recycleRouting'), 'the primary cannot take it', 'wait', { primary: down }),
    decides(step('recycleRouting'), 'neither side serves', 'routeToPrimary', { primary: down, target: down }),
    decides(step('recycleRouting'), 'the routes are written', 'advance', off),
    decides(step('recycleRouting'), 'they are not', 'wait', { ...off, ...pending }),
    decides(step('recycleDraining'), 'proxies had their time', 'advance', { release: { ...noTraffic, stepStartedMs: nowMs - drainMs } }),
    decides(step('recycleDraining'), 'they had not', 'wait', off),
    decides(step('recycleStopping'), 'no pod is left', 'advance', { target: { pods: 0 } }),
    decides(step('recycleStopping'), 'no pod is left, late', 'advance', { target: { pods: 0 }, release: late }),
    decides(step('recycleStopping'), 'a pod is left', 'wait', { target: { pods: 1 } }),
    decides(step('recycleStopping'), 'a pod is left at the deadline', 'giveUp', { target: { pods: 1 }, release: late }),
    decides(step('recycleStopping'), 'a pod is left while blocked', 'wait', {
      target: { pods: 1 },
      release: late,
      facts: { blocker: { code: 'Other' } },
    }),
    decides(step('recycleStopping'), 'a pod is left while paused', 'wait', { target: { pods: 1 }, release: { ...late, ...paused } }),
  ]);
});
