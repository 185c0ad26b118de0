import { describe } from 'vitest';
import {
  deadlineMs,
  decides,
  down,
  drainMs,
  itDecides,
  late,
  nowMs,
  paused,
  refused,
  scaler,
  short,
  unroutable,
  weighted,
} from '../../../test/fakes/deciding.ts';

const noTraffic = { routes: weighted(0) };

describe('E62, E102: decisions while the canary is raised', () => {
  const capacity = { side: 'target' as const, pods: 2 };
  const reached = { ...capacity, reachedMs: nowMs - drainMs };
  const less = { side: 'target' as const, pods: 8 };
  const patient = { stepStartedMs: nowMs - deadlineMs / 2 };
  const raising = (capacityNow: object, more: object = {}) => ({
    state: 'Progressing.raising',
    facts: { scaler },
    release: { capacity: capacityNow as typeof reached, ...more },
  });
  itDecides([
    decides(raising(capacity), 'the pods are there', 'noteReached'),
    decides(raising(reached), 'proxies had their time', 'step'),
    decides(raising({ ...capacity, reachedMs: nowMs }), 'they had not', 'wait'),
    decides(raising({ ...less, reachedMs: nowMs }), 'pods were lost again', 'noteLost'),
    decides(raising(less), 'pods are missing', 'wait'),
    decides(raising(less), 'a wake came before the deadline', 'extend', { due: true }),
    decides(raising(less, patient), 'the scaler gives less', 'step'),
    decides(raising(less, patient), 'it gives less, and the primary is not ready', 'wait', { primary: short }),
    decides(raising(less, { ...patient, ...paused }), 'it gives less while paused', 'wait'),
    decides(raising(less, late), 'it asks for them, and they do not come in time', 'rollBack', { target: { replicas: 8 } }),
    decides(raising(reached, late), 'they are there at the deadline', 'step'),
    decides(raising(reached), 'the primary is not ready', 'wait', { primary: short }),
    decides(raising(reached, paused), 'it is paused', 'wait'),
    decides(raising(reached), 'the spec is refused', 'wait', { facts: { scaler, ...refused } }),
    decides(raising(reached), 'the routes can hold no share', 'wait', { facts: { scaler, ...unroutable } }),
    decides(raising(reached), 'the canary is down with traffic', 'withdrawTraffic', { target: down }),
    decides(raising(reached, { ...noTraffic, iterations: 1 }), 'it is down between iterations', 'withdrawTraffic', { target: down }),
    decides(raising(reached, noTraffic), 'it is down before its first traffic', 'fallBack', { target: down }),
  ]);
});
