import { describe } from 'vitest';
import {
  deadlineMs,
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
    { ...raising(capacity), when: 'the pods are there', decision: 'noteReached' },
    { ...raising(reached), when: 'proxies had their time', decision: 'step' },
    { ...raising({ ...capacity, reachedMs: nowMs }), when: 'they had not', decision: 'wait' },
    { ...raising({ ...less, reachedMs: nowMs }), when: 'pods were lost again', decision: 'noteLost' },
    { ...raising(less), when: 'pods are missing', decision: 'wait' },
    { ...raising(less), when: 'a wake came before the deadline', due: true, decision: 'extend' },
    { ...raising(less, patient), when: 'the scaler gives less', decision: 'step' },
    { ...raising(less, patient), when: 'it gives less, and the primary is not ready', primary: short, decision: 'wait' },
    { ...raising(less, { ...patient, ...paused }), when: 'it gives less while paused', decision: 'wait' },
    { ...raising(less, late), when: 'it asks for them, and they do not come in time', target: { replicas: 8 }, decision: 'rollBack' },
    { ...raising(reached, late), when: 'they are there at the deadline', decision: 'step' },
    { ...raising(reached), when: 'the primary is not ready', primary: short, decision: 'wait' },
    { ...raising(reached, paused), when: 'it is paused', decision: 'wait' },
    { ...raising(reached), when: 'the spec is refused', facts: { scaler, ...refused }, decision: 'wait' },
    { ...raising(reached), when: 'the routes can hold no share', facts: { scaler, ...unroutable }, decision: 'wait' },
    { ...raising(reached), when: 'the canary is down with traffic', target: down, decision: 'withdrawTraffic' },
    {
      ...raising(reached, { ...noTraffic, iterations: 1 }),
      when: 'it is down between iterations',
      target: down,
      decision: 'withdrawTraffic',
    },
    { ...raising(reached, noTraffic), when: 'it is down before its first traffic', target: down, decision: 'fallBack' },
  ]);
});
