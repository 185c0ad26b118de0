import { describe } from 'vitest';
import {
  contested,
  type DecisionCase,
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
    { ...at, when: 'the primary is stalled', primary: { ...stalled, ...promoted }, decision: 'failPromotion' },
    { ...at, when: 'it is not ready at the deadline', primary: { ...short, ...promoted }, release: late, decision: 'failPromotion' },
    { ...at, when: 'the canary is down with traffic', target: down, primary: promoted, decision: 'routeToPrimary' },
    {
      ...at,
      when: 'the canary is down, and the primary is stalled and serves',
      target: down,
      primary: { ...stalled, ...promoted, serving: true },
      decision: 'routeToPrimary',
    },
  ]);
  itDecides([
    ...failing,
    { ...awaiting, when: 'it is complete', primary: promoted, decision: 'finish' },
    { ...awaiting, when: 'it is complete, and traffic goes in steps', primary: promoted, ...inSteps, decision: 'shift' },
    {
      ...awaiting,
      when: 'it is complete without traffic on the canary',
      primary: promoted,
      ...inSteps,
      release: { routes: weighted(0) },
      decision: 'finish',
    },
    { ...awaiting, when: 'it is below its threshold', primary: { ...short, ...promoted }, decision: 'wait' },
    { ...awaiting, when: 'it holds something else', decision: 'wait' },
    { ...awaiting, when: 'something is not written', primary: promoted, facts: { converged: false }, decision: 'wait' },
    { ...awaiting, when: 'it is complete, and the routes are contested (I18)', primary: promoted, facts: contested, decision: 'finish' },
    { ...awaiting, when: 'it is complete, and the routes are not confirmed', primary: promoted, facts: unconfirmed, decision: 'wait' },
    { ...awaiting, when: 'it is complete with too few pods for all traffic', ...needy, decision: 'raise' },
    {
      ...awaiting,
      when: 'it has too few pods, and nothing reaches the canary',
      ...needy,
      release: { routes: weighted(0) },
      decision: 'finish',
    },
    { ...awaiting, when: 'its rollout goes on', primary: rolling, release: late, due: true, decision: 'extend' },
    { ...awaiting, when: 'its rollout goes on, and nothing is due', primary: rolling, release: late, decision: 'wait' },

    { ...raising, when: 'the pods are there', primary: promoted, facts: { scaler }, release: { capacity: whole }, decision: 'noteReached' },
    {
      ...raising,
      when: 'pods were lost again',
      primary: { ...promoted, ...pods(2) },
      facts: { scaler },
      release: { capacity: { ...unreached, reachedMs: nowMs } },
      decision: 'noteLost',
    },
    { ...raising, when: 'proxies had their time', primary: promoted, facts: { scaler }, release: settled, decision: 'finish' },
    {
      ...raising,
      when: 'proxies had their time, and traffic goes in steps',
      primary: promoted,
      facts: { scaler },
      release: settled,
      ...inSteps,
      decision: 'shift',
    },
    {
      ...raising,
      when: 'they had not',
      primary: promoted,
      facts: { scaler },
      release: { capacity: { ...whole, reachedMs: nowMs } },
      decision: 'wait',
    },
    {
      ...raising,
      when: 'pods are missing',
      primary: { ...promoted, ...pods(2) },
      facts: { scaler },
      release: { capacity: unreached },
      decision: 'wait',
    },
    {
      ...raising,
      when: 'pods are missing at the deadline',
      primary: { ...promoted, ...pods(2) },
      facts: { scaler },
      release: { ...late, capacity: unreached },
      decision: 'finish',
    },
    {
      ...raising,
      when: 'its rollout goes on',
      primary: { ...rolling, readiness: { state: 'ready', ready: 2, wanted: 2 } },
      facts: { scaler, converged: false },
      release: { ...late, capacity: unreached },
      due: true,
      decision: 'extend',
    },

    { ...shifting, when: 'the next part is due', primary: promoted, due: true, ...inSteps, decision: 'shift' },
    { ...shifting, when: 'the last part is due', primary: promoted, due: true, decision: 'finish' },
    {
      ...shifting,
      when: 'it is due, and the routes are contested (I18)',
      primary: promoted,
      due: true,
      ...inSteps,
      facts: contested,
      decision: 'shift',
    },
    {
      ...shifting,
      when: 'the last part is due, and the routes are contested (I18)',
      primary: promoted,
      due: true,
      facts: contested,
      decision: 'finish',
    },
    { ...shifting, when: 'nothing is due', primary: promoted, decision: 'wait' },
    { ...shifting, when: 'no traffic is left on the canary', primary: promoted, release: { routes: weighted(0) }, decision: 'finish' },
    {
      ...shifting,
      when: 'it is due, and the primary is below its threshold',
      primary: { ...short, ...promoted },
      due: true,
      decision: 'wait',
    },
    {
      ...shifting,
      when: 'it is due, and something is not written',
      primary: promoted,
      facts: { converged: false },
      due: true,
      decision: 'wait',
    },
  ]);
});
