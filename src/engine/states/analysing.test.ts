import { describe } from 'vitest';
import {
  contested,
  type DecisionCase,
  deadlineMs,
  decides,
  down,
  itDecides,
  nowMs,
  paused,
  refused,
  scaler,
  short,
  unconfirmed,
  unroutable,
  weighted,
} from '../../../test/fakes/deciding.ts';

const passed = { event: { answer: 'passed' } } satisfies Partial<DecisionCase>;
const closed = { event: { answer: 'refused' } } satisfies Partial<DecisionCase>;
const verdict = (one: 'passed' | 'failed' | 'unmeasured') => ({ event: { verdicts: [one] } });
const last = { release: { routes: weighted(60) } };
/** The canary has one pod of the three that carry the load, and the next step needs two. */
const one = { readiness: { state: 'ready' as const, ready: 1, wanted: 1 }, replicas: 1 };
const tooFew = { facts: { scaler }, target: one, analysis: { stepWeights: [20, 90], maxWeight: 90 } };
const held: Required<Pick<DecisionCase, 'facts' | 'when'>>[] = [
  { when: 'the spec is refused', facts: refused },
  { when: 'the routes are not in force', facts: unconfirmed },
  { when: 'the routes can hold no share', facts: unroutable },
];
const asked = { contest: 'asked' } as const;
const misled = { ...asked, misled: true } as const;
const heldUp = { contest: 'held' } as const;
const unready = { awaitedSinceMs: nowMs - deadlineMs };
const switching = { iterations: 1, stepWeight: 0 };

const soaking = ['Progressing', 'WaitingPromotion'].flatMap((phase): DecisionCase[] => {
  const state = `${phase}.analysing.soaking`;
  return [
    decides(state, 'the check is not due', 'wait'),
    decides(state, 'the check is due', 'measure', { due: true }),
    decides(state, 'rollout hooks come first', 'callHooks', { due: true, hooks: ['rollout'] }),
    decides(state, 'rollback hooks are asked first (E82)', 'wait', { due: true, hooks: ['rollback'] }),
    decides(state, 'rollback hooks have answered', 'measure', {
      due: true,
      hooks: ['rollback'],
      context: { rollback: { run: 1, answeredMs: nowMs } },
    }),
    decides(state, 'it is due while paused', 'wait', { due: true, release: paused }),
    decides(state, 'something is not written', 'wait', { due: true, facts: { converged: false } }),
    decides(state, 'the routes are not confirmed (E63)', 'measure', { due: true, facts: { converged: false, ...unconfirmed } }),
    decides(state, 'the canary is below its threshold', 'measure', { due: true, target: short }),
    decides(state, 'it is below for the whole deadline', 'rollBack', { target: short, release: unready }),
    decides(state, 'it is below for that long while paused', 'wait', { target: short, release: { ...unready, ...paused } }),
    decides(state, 'it is ready after all', 'wait', { release: unready }),
    decides(state, 'the canary is down', 'withdrawTraffic', { target: down, due: true }),
    decides(state, 'the canary does not exist', 'withdrawTraffic', { target: null }),
  ];
});

const hooks = ['Progressing', 'WaitingPromotion'].flatMap((phase): DecisionCase[] => {
  const state = `${phase}.analysing.callingHooks`;
  return [
    decides(state, 'they pass', 'measure', passed),
    decides(state, 'they refuse', 'retry', closed),
    decides(state, 'they refuse for the last time', 'rollBack', { ...closed, release: { failedChecks: 2 } }),
    decides(state, 'no answer yet', 'wait', { due: true }),
    decides(state, 'they pass, and the canary is down', 'withdrawTraffic', { ...passed, target: down }),
  ];
});

describe('E10, E20, E22, E80: decisions between two steps', () => {
  itDecides([...soaking, ...hooks]);
});

describe('E10, E16, E20, E20b, E22, E22a, E63, E80, E81: decisions after the metrics', () => {
  const state = 'Progressing.analysing.measuring';
  const ok = { state, ...verdict('passed') };
  const bad = { state, ...verdict('failed') };
  const blind = { state, ...verdict('unmeasured'), analysis: { unmeasured: 'hold' as const } };
  const limited = { metrics: [{ name: 'errors', failureLimit: 0 }], threshold: 10 };
  itDecides([
    decides(ok, 'passed', 'step'),
    decides(ok, 'passed, and the step needs more pods', 'raise', tooFew),
    decides(ok, 'passed at the last weight', 'promote', last),
    decides(ok, 'passed at the last weight with too few pods', 'promote', { ...last, facts: { scaler }, target: one }),
    decides(ok, 'passed at the last weight, with a gate', 'confirmPromotion', { ...last, hooks: ['confirm-promotion'] }),
    decides(ok, 'passed, with a gate for the promotion only', 'step', { hooks: ['confirm-promotion'] }),
    decides(ok, 'passed, with a gate for more traffic', 'confirmTraffic', { hooks: ['confirm-traffic-increase'], ...tooFew }),
    decides(ok, 'passed at the last weight, with both gates', 'confirmTraffic', {
      ...last,
      hooks: ['confirm-traffic-increase', 'confirm-promotion'],
    }),
    decides(ok, 'passed at the last iteration, before all traffic (E16)', 'confirmPromotion', {
      analysis: switching,
      release: { iterations: 1 },
      hooks: ['confirm-promotion', 'confirm-traffic-increase'],
    }),
    decides(ok, 'passed with all traffic after that gate', 'promote', {
      analysis: switching,
      release: { iterations: 2, routes: weighted(100) },
      hooks: ['confirm-promotion'],
    }),
    decides(ok, 'passed at the last weight, with both gates', 'confirmPromotion', {
      state: 'WaitingPromotion.analysing.measuring',
      ...last,
      hooks: ['confirm-traffic-increase', 'confirm-promotion'],
    }),
    ...held.flatMap(({ when, facts }): DecisionCase[] => [
      decides(ok, `passed, and ${when}`, 'holdUp', { facts }),
      decides(ok, `passed at the last weight, and ${when}`, 'holdUp', { ...last, facts, hooks: ['confirm-promotion'] }),
      decides(bad, `failed, and ${when}`, 'retry', { facts }),
    ]),
    decides(ok, 'passed, and the primary is not ready', 'awaitPrimary', { primary: short }),
    decides(ok, 'passed, and neither side is ready', 'awaitPrimary', { primary: short, target: short, facts: refused }),
    decides(ok, 'passed, and the canary is below its threshold', 'awaitCanary', { target: short, facts: refused }),
    decides(ok, 'passed at the last weight, and the canary is below its threshold', 'awaitCanary', {
      ...last,
      target: short,
      hooks: ['confirm-promotion'],
    }),
    decides(ok, 'passed, and a raised primary is as good as before', 'step', {
      primary: short,
      release: { capacity: { side: 'primary', pods: 4, had: 1 } },
    }),
    decides(bad, 'failed', 'retry'),
    decides(bad, 'failed for the last time', 'rollBack', { release: { failedChecks: 2 } }),
    decides(bad, 'failed more often than its own limit (E20b)', 'rollBack', { analysis: limited }),
    decides(state, 'unmeasured counts as failed', 'rollBack', { ...verdict('unmeasured'), release: { failedChecks: 2 } }),
    decides(blind, 'unmeasured holds (E22a)', 'hold', { release: { failedChecks: 2 } }),
    decides(blind, 'unmeasured holds before its deadline', 'hold', { release: { blindSinceMs: nowMs - deadlineMs + 1 } }),
    decides(blind, 'unmeasured for the whole deadline', 'rollBack', { release: { blindSinceMs: nowMs - deadlineMs } }),
    decides(blind, 'unmeasured that long while blocked', 'hold', {
      release: { blindSinceMs: nowMs - deadlineMs },
      facts: { blocker: { code: 'Other' } },
    }),
    decides(ok, 'passed, and the canary is down', 'withdrawTraffic', { target: down }),
    decides(state, 'no answer yet', 'wait', { due: true }),
  ]);
});

describe('E63a, I18: checks under routes that another writer has changed back', () => {
  const soaking = { state: 'Progressing.analysing.soaking' };
  const ok = { state: 'Progressing.analysing.measuring', ...verdict('passed') };
  const bad = { state: 'Progressing.analysing.measuring', ...verdict('failed') };
  const blind = { state: 'Progressing.analysing.measuring', ...verdict('unmeasured'), context: asked, facts: contested };
  itDecides([
    decides(soaking, 'the routes are contested (I18)', 'measure', { due: true, facts: contested }),
    decides(soaking, 'they have become so in the interval', 'noteHeld', { facts: contested }),
    decides(soaking, 'they were, and are corrected now', 'wait', { context: heldUp }),
    decides(soaking, 'they were, and are corrected as a check is due', 'measure', { context: heldUp, due: true }),
    decides(soaking, 'they were, and still are', 'wait', { context: { ...heldUp, misled: true }, facts: contested }),
    decides(blind, 'nothing can be measured by them', 'holdUp'),
    decides(blind, 'the same where the unmeasured holds', 'holdUp', { analysis: { unmeasured: 'hold' } }),
    decides(soaking, 'the same while paused', 'wait', { context: heldUp, release: paused }),
    decides(ok, 'passed, asked under contested routes (E63a)', 'holdUp', { context: asked, facts: contested }),
    decides(ok, 'passed, asked under routes that are corrected since', 'holdUp', { context: asked }),
    decides(ok, 'passed, and the routes are contested since it was asked', 'step', { facts: contested }),
    decides(bad, 'failed, asked under routes that gave the canary less', 'holdUp', { context: misled, facts: contested }),
    decides(bad, 'failed, asked under such that are corrected since', 'holdUp', { context: misled }),
    decides(bad, 'failed, asked under contested routes with its share', 'retry', { context: asked, facts: contested }),
    decides(soaking, 'they come to give it less in the interval', 'noteHeld', { context: heldUp, facts: contested, ...last }),
    {
      ...decides(soaking, 'they give it its share', 'wait', { context: heldUp, ...last }),
      facts: { ...contested, liveRoutes: weighted(60) },
    },
    decides(bad, 'failed, and the routes are contested since it was asked', 'retry', { facts: contested }),
    decides(bad, 'failed for the last time that counts, asked under them', 'holdUp', { context: misled, release: { failedChecks: 2 } }),
  ]);
});

describe('E23, E24, E80: decisions after a gate', () => {
  const traffic = 'Progressing.analysing.confirmingTraffic';
  const promotions = ['Progressing.analysing.confirmingPromotion', 'WaitingPromotion.analysing.confirmingPromotion'];
  itDecides([
    ...[traffic, ...promotions].flatMap((state): DecisionCase[] => [
      decides(state, 'closed', 'hold', closed),
      decides(state, 'open', 'step', passed),
      decides(state, 'open, and the step needs more pods', 'raise', { ...passed, ...tooFew }),
      decides(state, 'open at the last weight', 'promote', { ...passed, ...last }),
      decides(state, 'open at the last weight with too few pods', 'promote', { ...passed, ...last, facts: { scaler }, target: one }),
      ...held.map(({ when, facts }): DecisionCase => decides(state, `open, and ${when}`, 'checkAgain', { ...passed, facts })),
      decides(state, 'open at the last weight, and the spec is refused', 'checkAgain', { ...passed, ...last, facts: refused }),
      decides(state, 'open, and the primary is not ready', 'checkAgain', { ...passed, primary: short }),
      decides(state, 'open, and the canary is below its threshold', 'checkAgain', { ...passed, ...tooFew, target: short }),
      decides(state, 'open, and the canary is down', 'withdrawTraffic', { ...passed, target: down }),
      decides(state, 'no answer yet', 'wait', { due: true }),
    ]),
    decides(traffic, 'open at the last weight, with the gate of the promotion', 'confirmPromotion', {
      ...passed,
      ...last,
      hooks: ['confirm-promotion'],
    }),
    decides(traffic, 'open, with the gate of the promotion to come', 'step', { ...passed, hooks: ['confirm-promotion'] }),
    decides(promotions[0] ?? '', 'open at the last weight, with its gate', 'promote', { ...passed, ...last, hooks: ['confirm-promotion'] }),
    decides(promotions[0] ?? '', 'open before all traffic', 'step', {
      ...passed,
      analysis: switching,
      release: { iterations: 1 },
      hooks: ['confirm-promotion'],
    }),
  ]);
});

describe('E27a, I20: decisions of a check about a canary that has failed', () => {
  const pods = { crashes: 1, lost: 0, unready: 1, ends: {} };
  const counted = { crashes: 0, lost: 0, ends: {}, unreadyMs: 0 };
  const intervalMs = 10_000;
  const due = { release: { failing: { ...counted, judgedMs: nowMs - intervalMs } } };
  const early = { release: { failing: { ...counted, judgedMs: nowMs - intervalMs + 1 } } };
  const crashed = { target: { failing: pods } };
  const measuring = 'Progressing.analysing.measuring';
  itDecides([
    ...['Progressing', 'WaitingPromotion'].flatMap((phase): DecisionCase[] => {
      const state = `${phase}.analysing.soaking`;
      return [
        decides(state, 'no check has come for an interval', 'countFailing', { ...due, ...crashed }),
        decides(state, 'its check is due', 'measure', { due: true, ...due, ...crashed }),
        decides(state, 'nothing can be written', 'countFailing', { due: true, ...due, ...crashed, facts: { converged: false } }),
      ];
    }),
    decides(measuring, 'its checks pass', 'retry', { ...verdict('passed'), ...early, ...crashed }),
    decides(measuring, 'they fail', 'retry', { ...verdict('failed'), ...early, ...crashed }),
    {
      ...{ state: measuring, when: 'they fail under contested routes, more often than their own limit (E63a)', ...verdict('failed') },
      ...{
        analysis: { metrics: [{ name: 'errors', failureLimit: 0 }], threshold: 10 },
        context: misled,
        ...early,
        ...crashed,
        decision: 'retry',
      },
    },
    decides(measuring, 'they fail under contested routes (E63a)', 'retry', { ...verdict('failed'), context: misled, ...early, ...crashed }),
    decides(measuring, 'its checks pass, and it is the last failed check', 'rollBack', {
      ...verdict('passed'),
      ...crashed,
      release: { ...early.release, failedChecks: 2 },
    }),
    decides(measuring, 'they are held', 'retry', { ...verdict('unmeasured'), analysis: { unmeasured: 'hold' }, ...early, ...crashed }),
    decides(measuring, 'nothing failed since the last count', 'step', {
      ...verdict('passed'),
      ...early,
      target: { failing: { ...pods, crashes: 0 } },
    }),
  ]);
});
