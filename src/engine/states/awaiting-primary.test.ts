import { describe } from 'vitest';
import {
  contested,
  type DecisionCase,
  decides,
  down,
  drainMs,
  itDecides,
  late,
  nowMs,
  scaler,
  short,
  stalled,
  weighted,
} from '../../../test/fakes/deciding.ts';

const unconfirmed = { converged: false, unconfirmed: { code: 'RouteUnconfirmed', detail: 'no' } } as const;
const awaiting = { state: 'Promoting.awaitingPrimary' };
const raising = { state: 'Promoting.raising' };
const shifting = { state: 'Promoting.shifting' };
const promoted = { carries: 's1:b' };
const inSteps = { analysis: { stepWeightPromotion: 10 } };
const pods = (ready: number) => ({ readiness: { state: 'ready' as const, ready, wanted: ready } });
const rolling = { ...short, ...promoted, progress: { lastMs: nowMs - 1, updated: 1 } };

describe('E42, E43, E44, E60, E61, E100: decisions while the primary takes the traffic', () => {
  const needy = { facts: { scaler }, primary: { ...promoted, ...pods(1) }, target: pods(5), release: { routes: weighted(50) } };
  const whole = { side: 'primary' as const, pods: 2 };
  const settled = { routes: weighted(20), capacity: { ...whole, reachedMs: nowMs - drainMs } };
  const unreached = { side: 'primary' as const, pods: 8, had: 1 };
  const failing: DecisionCase[] = [awaiting, raising, shifting].flatMap((at) => [
    decides(at, 'the primary is stalled', 'failPromotion', { primary: { ...stalled, ...promoted } }),
    decides(at, 'it is not ready at the deadline', 'failPromotion', { primary: { ...short, ...promoted }, release: late }),
    decides(at, 'the canary is down with traffic', 'routeToPrimary', { target: down, primary: promoted }),
    decides(at, 'the canary is down, and the primary is stalled and serves', 'routeToPrimary', {
      target: down,
      primary: { ...stalled, ...promoted, serving: true },
    }),
  ]);
  itDecides([
    ...failing,
    decides(awaiting, 'it is complete', 'finish', { primary: promoted }),
    decides(awaiting, 'it is complete, and traffic goes in steps', 'shift', { primary: promoted, ...inSteps }),
    decides(awaiting, 'it is complete without traffic on the canary', 'finish', {
      primary: promoted,
      ...inSteps,
      release: { routes: weighted(0) },
    }),
    decides(awaiting, 'it is below its threshold', 'wait', { primary: { ...short, ...promoted } }),
    decides(awaiting, 'it holds something else', 'wait'),
    decides(awaiting, 'something is not written', 'wait', { primary: promoted, facts: { converged: false } }),
    decides(awaiting, 'it is complete, and the routes are contested (I18)', 'finish', { primary: promoted, facts: contested }),
    decides(awaiting, 'it is complete, and the routes are not confirmed', 'wait', { primary: promoted, facts: unconfirmed }),
    decides(awaiting, 'it is complete with too few pods for all traffic', 'raise', needy),
    decides(awaiting, 'it has too few pods, and nothing reaches the canary', 'finish', { ...needy, release: { routes: weighted(0) } }),
    decides(awaiting, 'its rollout goes on', 'extend', { primary: rolling, release: late, due: true }),
    decides(awaiting, 'its rollout goes on, and nothing is due', 'wait', { primary: rolling, release: late }),

    decides(raising, 'the pods are there', 'noteReached', { primary: promoted, facts: { scaler }, release: { capacity: whole } }),
    decides(raising, 'pods were lost again', 'noteLost', {
      primary: { ...promoted, ...pods(2) },
      facts: { scaler },
      release: { capacity: { ...unreached, reachedMs: nowMs } },
    }),
    decides(raising, 'proxies had their time', 'finish', { primary: promoted, facts: { scaler }, release: settled }),
    decides(raising, 'proxies had their time, and traffic goes in steps', 'shift', {
      primary: promoted,
      facts: { scaler },
      release: settled,
      ...inSteps,
    }),
    decides(raising, 'they had not', 'wait', {
      primary: promoted,
      facts: { scaler },
      release: { capacity: { ...whole, reachedMs: nowMs } },
    }),
    decides(raising, 'pods are missing', 'wait', {
      primary: { ...promoted, ...pods(2) },
      facts: { scaler },
      release: { capacity: unreached },
    }),
    decides(raising, 'pods are missing at the deadline', 'finish', {
      primary: { ...promoted, ...pods(2) },
      facts: { scaler },
      release: { ...late, capacity: unreached },
    }),
    decides(raising, 'its rollout goes on', 'extend', {
      primary: { ...rolling, readiness: { state: 'ready', ready: 2, wanted: 2 } },
      facts: { scaler, converged: false },
      release: { ...late, capacity: unreached },
      due: true,
    }),

    decides(shifting, 'the next part is due', 'shift', { primary: promoted, due: true, ...inSteps }),
    decides(shifting, 'the last part is due', 'finish', { primary: promoted, due: true }),
    decides(shifting, 'it is due, and the routes are contested (I18)', 'shift', {
      primary: promoted,
      due: true,
      ...inSteps,
      facts: contested,
    }),
    decides(shifting, 'the last part is due, and the routes are contested (I18)', 'finish', {
      primary: promoted,
      due: true,
      facts: contested,
    }),
    decides(shifting, 'nothing is due', 'wait', { primary: promoted }),
    decides(shifting, 'no traffic is left on the canary', 'finish', { primary: promoted, release: { routes: weighted(0) } }),
    decides(shifting, 'it is due, and the primary is below its threshold', 'wait', { primary: { ...short, ...promoted }, due: true }),
    decides(shifting, 'it is due, and something is not written', 'wait', { primary: promoted, facts: { converged: false }, due: true }),
  ]);
});
