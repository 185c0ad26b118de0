import { describe } from 'vitest';
import { deadlineMs, down, drainMs, itDecides, late, nowMs, scaler, short } from '../../../test/fakes/deciding.ts';

const creatingPrimary = 'Initializing.creatingPrimary';
const settling = 'Initializing.settling';
const takingTraffic = 'Initializing.takingTraffic';
const draining = 'Initializing.draining';
const pending = { facts: { converged: false } };
const drained = { stepStartedMs: nowMs - drainMs };

describe('E4: decisions of the bootstrap', () => {
  itDecides([
    { state: 'New', when: 'the controller starts', event: 'RESUME', decision: 'advance' },
    { state: 'New', when: 'facts change', decision: 'advance' },
    { state: 'New', when: 'only the clock has moved', event: 'WAKE', decision: 'wait' },

    { state: creatingPrimary, when: 'the primary is complete', decision: 'advance' },
    { state: creatingPrimary, when: 'it is not written', ...pending, decision: 'wait' },
    { state: creatingPrimary, when: 'it is below its threshold', primary: short, decision: 'wait' },
    { state: creatingPrimary, when: 'it is late', primary: down, release: late, due: true, decision: 'reportLate' },
    { state: creatingPrimary, when: 'the deadline passed, and that was reported', primary: down, release: late, decision: 'wait' },
    { state: creatingPrimary, when: 'the wake came too early', primary: down, due: true, decision: 'wait' },
    { state: creatingPrimary, when: 'a scaler gave the target more pods', facts: { scaler }, decision: 'raise' },
    {
      state: creatingPrimary,
      when: 'it is raised, and has too few pods',
      facts: { scaler },
      target: { readiness: { state: 'ready', ready: 4, wanted: 4 } },
      release: { capacity: { side: 'primary', pods: 4 } },
      decision: 'wait',
    },
    {
      state: creatingPrimary,
      when: 'the same where the target does not serve',
      facts: { scaler },
      target: { readiness: { state: 'waiting', ready: 0, wanted: 4 }, serving: false },
      release: { capacity: { side: 'primary', pods: 4 } },
      decision: 'advance',
    },

    { state: settling, when: 'the pause for proxies is over', due: true, decision: 'advance' },
    { state: settling, when: 'the pause is not over', decision: 'wait' },
    { state: settling, when: 'the primary is lost', primary: down, due: true, decision: 'fallBack' },
    { state: settling, when: 'neither side serves', primary: down, target: down, due: true, decision: 'wait' },
    { state: settling, when: 'a scaler gave the target more pods', facts: { scaler }, due: true, decision: 'raise' },

    { state: takingTraffic, when: 'the routes point at the primary', decision: 'advance' },
    { state: takingTraffic, when: 'they do not yet', ...pending, decision: 'wait' },
    { state: takingTraffic, when: 'the primary is lost', primary: null, decision: 'fallBack' },

    { state: draining, when: 'proxies had their time', release: drained, decision: 'advance' },
    { state: draining, when: 'they had not', decision: 'wait' },
    { state: draining, when: 'the primary does not serve', release: drained, primary: down, decision: 'wait' },
    { state: draining, when: 'something is not written', release: drained, ...pending, decision: 'wait' },
    {
      state: draining,
      when: 'the progress deadline passed without it',
      release: { stepStartedMs: nowMs - deadlineMs },
      primary: down,
      decision: 'wait',
    },
  ]);
});
