import { describe } from 'vitest';
import {
  contested,
  type DecisionCase,
  deadlineMs,
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
    { state, when: 'the check is not due', decision: 'wait' },
    { state, when: 'the check is due', due: true, decision: 'measure' },
    { state, when: 'rollout hooks come first', due: true, hooks: ['rollout'], decision: 'callHooks' },
    { state, when: 'rollback hooks are asked first (E82)', due: true, hooks: ['rollback'], decision: 'wait' },
    {
      state,
      when: 'rollback hooks have answered',
      due: true,
      hooks: ['rollback'],
      context: { rollback: { run: 1, answeredMs: nowMs } },
      decision: 'measure',
    },
    { state, when: 'it is due while paused', due: true, release: paused, decision: 'wait' },
    { state, when: 'something is not written', due: true, facts: { converged: false }, decision: 'wait' },
    { state, when: 'the routes are not confirmed (E63)', due: true, facts: { converged: false, ...unconfirmed }, decision: 'measure' },
    { state, when: 'the canary is below its threshold', due: true, target: short, decision: 'measure' },
    { state, when: 'it is below for the whole deadline', target: short, release: unready, decision: 'rollBack' },
    { state, when: 'it is below for that long while paused', target: short, release: { ...unready, ...paused }, decision: 'wait' },
    { state, when: 'it is ready after all', release: unready, decision: 'wait' },
    { state, when: 'the canary is down', target: down, due: true, decision: 'withdrawTraffic' },
    { state, when: 'the canary does not exist', target: null, decision: 'withdrawTraffic' },
  ];
});

const hooks = ['Progressing', 'WaitingPromotion'].flatMap((phase): DecisionCase[] => {
  const state = `${phase}.analysing.callingHooks`;
  return [
    { state, when: 'they pass', ...passed, decision: 'measure' },
    { state, when: 'they refuse', ...closed, decision: 'retry' },
    { state, when: 'they refuse for the last time', ...closed, release: { failedChecks: 2 }, decision: 'rollBack' },
    { state, when: 'no answer yet', due: true, decision: 'wait' },
    { state, when: 'they pass, and the canary is down', ...passed, target: down, decision: 'withdrawTraffic' },
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
    { ...ok, when: 'passed', decision: 'step' },
    { ...ok, when: 'passed, and the step needs more pods', ...tooFew, decision: 'raise' },
    { ...ok, when: 'passed at the last weight', ...last, decision: 'promote' },
    { ...ok, when: 'passed at the last weight with too few pods', ...last, facts: { scaler }, target: one, decision: 'promote' },
    { ...ok, when: 'passed at the last weight, with a gate', ...last, hooks: ['confirm-promotion'], decision: 'confirmPromotion' },
    { ...ok, when: 'passed, with a gate for the promotion only', hooks: ['confirm-promotion'], decision: 'step' },
    { ...ok, when: 'passed, with a gate for more traffic', hooks: ['confirm-traffic-increase'], ...tooFew, decision: 'confirmTraffic' },
    {
      ...ok,
      when: 'passed at the last weight, with both gates',
      ...last,
      hooks: ['confirm-traffic-increase', 'confirm-promotion'],
      decision: 'confirmTraffic',
    },
    {
      ...ok,
      when: 'passed at the last iteration, before all traffic (E16)',
      analysis: switching,
      release: { iterations: 1 },
      hooks: ['confirm-promotion', 'confirm-traffic-increase'],
      decision: 'confirmPromotion',
    },
    {
      ...ok,
      when: 'passed with all traffic after that gate',
      analysis: switching,
      release: { iterations: 2, routes: weighted(100) },
      hooks: ['confirm-promotion'],
      decision: 'promote',
    },
    {
      ...ok,
      state: 'WaitingPromotion.analysing.measuring',
      when: 'passed at the last weight, with both gates',
      ...last,
      hooks: ['confirm-traffic-increase', 'confirm-promotion'],
      decision: 'confirmPromotion',
    },
    ...held.flatMap(({ when, facts }): DecisionCase[] => [
      { ...ok, when: `passed, and ${when}`, facts, decision: 'holdUp' },
      { ...ok, when: `passed at the last weight, and ${when}`, ...last, facts, hooks: ['confirm-promotion'], decision: 'holdUp' },
      { ...bad, when: `failed, and ${when}`, facts, decision: 'retry' },
    ]),
    { ...ok, when: 'passed, and the primary is not ready', primary: short, decision: 'awaitPrimary' },
    { ...ok, when: 'passed, and neither side is ready', primary: short, target: short, facts: refused, decision: 'awaitPrimary' },
    { ...ok, when: 'passed, and the canary is below its threshold', target: short, facts: refused, decision: 'awaitCanary' },
    {
      ...ok,
      when: 'passed at the last weight, and the canary is below its threshold',
      ...last,
      target: short,
      hooks: ['confirm-promotion'],
      decision: 'awaitCanary',
    },
    {
      ...ok,
      when: 'passed, and a raised primary is as good as before',
      primary: short,
      release: { capacity: { side: 'primary', pods: 4, had: 1 } },
      decision: 'step',
    },
    { ...bad, when: 'failed', decision: 'retry' },
    { ...bad, when: 'failed for the last time', release: { failedChecks: 2 }, decision: 'rollBack' },
    { ...bad, when: 'failed more often than its own limit (E20b)', analysis: limited, decision: 'rollBack' },
    { state, ...verdict('unmeasured'), when: 'unmeasured counts as failed', release: { failedChecks: 2 }, decision: 'rollBack' },
    { ...blind, when: 'unmeasured holds (E22a)', release: { failedChecks: 2 }, decision: 'hold' },
    { ...blind, when: 'unmeasured holds before its deadline', release: { blindSinceMs: nowMs - deadlineMs + 1 }, decision: 'hold' },
    { ...blind, when: 'unmeasured for the whole deadline', release: { blindSinceMs: nowMs - deadlineMs }, decision: 'rollBack' },
    {
      ...blind,
      when: 'unmeasured that long while blocked',
      release: { blindSinceMs: nowMs - deadlineMs },
      facts: { blocker: { code: 'Other' } },
      decision: 'hold',
    },
    { ...ok, when: 'passed, and the canary is down', target: down, decision: 'withdrawTraffic' },
    { state, when: 'no answer yet', due: true, decision: 'wait' },
  ]);
});

describe('E63a, I18: checks under routes that another writer has changed back', () => {
  const soaking = { state: 'Progressing.analysing.soaking' };
  const ok = { state: 'Progressing.analysing.measuring', ...verdict('passed') };
  const bad = { state: 'Progressing.analysing.measuring', ...verdict('failed') };
  const blind = { state: 'Progressing.analysing.measuring', ...verdict('unmeasured'), context: asked, facts: contested };
  itDecides([
    { ...soaking, when: 'the routes are contested (I18)', due: true, facts: contested, decision: 'measure' },
    { ...soaking, when: 'they have become so in the interval', facts: contested, decision: 'noteHeld' },
    { ...soaking, when: 'they were, and are corrected now', context: heldUp, decision: 'wait' },
    { ...soaking, when: 'they were, and are corrected as a check is due', context: heldUp, due: true, decision: 'measure' },
    { ...soaking, when: 'they were, and still are', context: { ...heldUp, misled: true }, facts: contested, decision: 'wait' },
    { ...blind, when: 'nothing can be measured by them', decision: 'holdUp' },
    { ...blind, when: 'the same where the unmeasured holds', analysis: { unmeasured: 'hold' }, decision: 'holdUp' },
    { ...soaking, when: 'the same while paused', context: heldUp, release: paused, decision: 'wait' },
    { ...ok, when: 'passed, asked under contested routes (E63a)', context: asked, facts: contested, decision: 'holdUp' },
    { ...ok, when: 'passed, asked under routes that are corrected since', context: asked, decision: 'holdUp' },
    { ...ok, when: 'passed, and the routes are contested since it was asked', facts: contested, decision: 'step' },
    { ...bad, when: 'failed, asked under routes that gave the canary less', context: misled, facts: contested, decision: 'holdUp' },
    { ...bad, when: 'failed, asked under such that are corrected since', context: misled, decision: 'holdUp' },
    { ...bad, when: 'failed, asked under contested routes with its share', context: asked, facts: contested, decision: 'retry' },
    { ...soaking, when: 'they come to give it less in the interval', context: heldUp, facts: contested, ...last, decision: 'noteHeld' },
    {
      ...{ ...soaking, when: 'they give it its share', context: heldUp, ...last, decision: 'wait' },
      facts: { ...contested, liveRoutes: weighted(60) },
    },
    { ...bad, when: 'failed, and the routes are contested since it was asked', facts: contested, decision: 'retry' },
    {
      ...bad,
      when: 'failed for the last time that counts, asked under them',
      context: misled,
      release: { failedChecks: 2 },
      decision: 'holdUp',
    },
  ]);
});

describe('E23, E24, E80: decisions after a gate', () => {
  const traffic = 'Progressing.analysing.confirmingTraffic';
  const promotions = ['Progressing.analysing.confirmingPromotion', 'WaitingPromotion.analysing.confirmingPromotion'];
  itDecides([
    ...[traffic, ...promotions].flatMap((state): DecisionCase[] => [
      { state, when: 'closed', ...closed, decision: 'hold' },
      { state, when: 'open', ...passed, decision: 'step' },
      { state, when: 'open, and the step needs more pods', ...passed, ...tooFew, decision: 'raise' },
      { state, when: 'open at the last weight', ...passed, ...last, decision: 'promote' },
      { state, when: 'open at the last weight with too few pods', ...passed, ...last, facts: { scaler }, target: one, decision: 'promote' },
      ...held.map(({ when, facts }): DecisionCase => ({ state, when: `open, and ${when}`, ...passed, facts, decision: 'checkAgain' })),
      { state, when: 'open at the last weight, and the spec is refused', ...passed, ...last, facts: refused, decision: 'checkAgain' },
      { state, when: 'open, and the primary is not ready', ...passed, primary: short, decision: 'checkAgain' },
      { state, when: 'open, and the canary is below its threshold', ...passed, ...tooFew, target: short, decision: 'checkAgain' },
      { state, when: 'open, and the canary is down', ...passed, target: down, decision: 'withdrawTraffic' },
      { state, when: 'no answer yet', due: true, decision: 'wait' },
    ]),
    {
      state: traffic,
      when: 'open at the last weight, with the gate of the promotion',
      ...passed,
      ...last,
      hooks: ['confirm-promotion'],
      decision: 'confirmPromotion',
    },
    { state: traffic, when: 'open, with the gate of the promotion to come', ...passed, hooks: ['confirm-promotion'], decision: 'step' },
    {
      state: promotions[0] ?? '',
      when: 'open at the last weight, with its gate',
      ...passed,
      ...last,
      hooks: ['confirm-promotion'],
      decision: 'promote',
    },
    {
      state: promotions[0] ?? '',
      when: 'open before all traffic',
      ...passed,
      analysis: switching,
      release: { iterations: 1 },
      hooks: ['confirm-promotion'],
      decision: 'step',
    },
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
        { state, when: 'no check has come for an interval', ...due, ...crashed, decision: 'countFailing' },
        { state, when: 'its check is due', due: true, ...due, ...crashed, decision: 'measure' },
        { state, when: 'nothing can be written', due: true, ...due, ...crashed, facts: { converged: false }, decision: 'countFailing' },
      ];
    }),
    { state: measuring, when: 'its checks pass', ...verdict('passed'), ...early, ...crashed, decision: 'retry' },
    { state: measuring, when: 'they fail', ...verdict('failed'), ...early, ...crashed, decision: 'retry' },
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
    {
      state: measuring,
      when: 'they fail under contested routes (E63a)',
      ...verdict('failed'),
      context: misled,
      ...early,
      ...crashed,
      decision: 'retry',
    },
    {
      state: measuring,
      when: 'its checks pass, and it is the last failed check',
      ...verdict('passed'),
      ...crashed,
      release: { ...early.release, failedChecks: 2 },
      decision: 'rollBack',
    },
    {
      state: measuring,
      when: 'they are held',
      ...verdict('unmeasured'),
      analysis: { unmeasured: 'hold' },
      ...early,
      ...crashed,
      decision: 'retry',
    },
    {
      state: measuring,
      when: 'nothing failed since the last count',
      ...verdict('passed'),
      ...early,
      target: { failing: { ...pods, crashes: 0 } },
      decision: 'step',
    },
  ]);
});
