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
  short,
  stalled,
  unconfirmed,
} from '../../../test/fakes/deciding.ts';

const steps = [
  'scalingUp',
  'settling',
  'raising',
  'preRollout.hooks',
  'preRollout.gate',
  'analysing.soaking',
  'analysing.callingHooks',
  'analysing.measuring',
  'analysing.confirmingTraffic',
  'analysing.confirmingPromotion',
  'canaryUnavailable',
  'canaryRecovered',
].map((step) => `Progressing.${step}`);
const later = ['soaking', 'callingHooks', 'measuring', 'confirmingTraffic', 'confirmingPromotion'].map(
  (step) => `WaitingPromotion.analysing.${step}`,
);
const recycling = ['recycleRouting', 'recycleDraining', 'recycleStopping'].map((step) => `Progressing.${step}`);
const whole = [...steps, ...later, 'WaitingPromotion.canaryUnavailable', 'WaitingPromotion.canaryRecovered'];

const config = (checksum: string) => ({ 'configmap/a': { uid: 'u', resourceVersion: '1', checksum } });
const written = { 'configmap/a': { uid: 'u', resourceVersion: '2', checksum: 'x' } };
const measured = { event: { verdicts: ['failed' as const] }, analysis: { threshold: 1 } };
const skip = { spec: { skipAnalysis: true } };
const longAgo = { code: 'RouteUnconfirmed' as const, detail: 'no', sinceMs: nowMs - deadlineMs };
const unrouted = { facts: { unroutable: longAgo }, release: { stepStartedMs: nowMs - deadlineMs } };

describe('E50, E51, E57, E65, E83, E96: events that end an analysis in any step', () => {
  itDecides(
    whole.flatMap((state): DecisionCase[] => [
      { state, when: 'the promoted revision is back', target: { revision: 's1:a' }, decision: 'cancel' },
      { state, when: 'it is back while the canary is stalled', target: { ...stalled, revision: 's1:a' }, decision: 'cancel' },
      {
        state,
        when: 'a newer revision, nothing was promoted yet',
        target: { revision: 's1:a' },
        release: { promotedRevision: 's1:0' },
        decision: 'supersede',
      },
      { state, when: 'a newer revision', target: { revision: 's1:c' }, decision: 'supersede' },
      { state, when: 'a newer revision while paused', target: { revision: 's1:c' }, release: paused, decision: 'supersede' },
      { state, when: 'a newer revision with the last failed check', target: { revision: 's1:c' }, ...measured, decision: 'supersede' },
      {
        state,
        when: 'a newer revision, and pods have read other configs',
        target: { revision: 's1:c', pods: 2, configs: config('y') },
        release: { configs: config('x') },
        decision: 'supersedeAfterRecycling',
      },
      {
        state,
        when: 'a newer revision, and pods have read the same configs',
        target: { revision: 's1:c', pods: 2, configs: config('x') },
        release: { configs: config('x') },
        decision: 'supersede',
      },
      {
        state,
        when: 'a config was written since and holds the same',
        target: { pods: 2, configs: written },
        release: { configs: config('x') },
        decision: 'supersedeAfterRecycling',
      },
      {
        state,
        when: 'the configs were not known when it began',
        target: { pods: 2, configs: config('x') },
        release: { observedGeneration: 0 },
        decision: 'supersedeAfterRecycling',
      },
      { state, when: 'the canary is stalled', target: stalled, decision: 'abort' },
      { state, when: 'it is stalled, and the routes are contested (I18)', target: stalled, facts: contested, decision: 'abort' },
      { state, when: 'it is stalled, and an answer comes', target: stalled, ...measured, decision: 'abort' },
      {
        state,
        when: 'the time to correct a refused spec is over',
        facts: { refused: { reason: 'InvalidSpec', message: 'bad', uncheckedUntilMs: nowMs } },
        decision: 'abort',
      },
      { state, when: 'no route holds a share for the whole deadline', ...unrouted, decision: 'abort' },
      { state, when: 'the analysis is skipped', ...skip, decision: 'skipAnalysis' },
      { state, when: 'the analysis is skipped, whatever a check says', ...skip, ...measured, decision: 'skipAnalysis' },
      { state, when: 'the analysis is skipped, with a primary that is down', ...skip, primary: down, decision: 'skipAnalysis' },
      { state, when: 'promotion is asked for', event: { asks: 'promote' }, decision: 'promote' },
      { state, when: 'a rollback is asked for', event: { asks: 'rollback' }, decision: 'rollBack' },
      { state, when: 'a rollback hook asks for the end', event: 'stopped', decision: 'rollBack' },
      { state, when: 'a pause is asked for', event: { asks: 'pause' }, decision: 'pause' },
      { state, when: 'the end of a pause is asked for', event: { asks: 'resume' }, release: paused, decision: 'resume' },
    ]),
  );

  // With no other work in this step, so that events that do not interrupt show.
  const soaking = { state: 'Progressing.analysing.soaking' };
  itDecides([
    { ...soaking, when: 'a newer revision goes, and no longer stalls', target: { revision: 's1:b' }, decision: 'wait' },
    {
      ...soaking,
      when: 'stalled, and something is not written',
      target: { ...stalled, serving: true },
      facts: { converged: false },
      decision: 'wait',
    },
    { ...soaking, when: 'stalled while paused', target: { ...stalled, serving: true }, release: paused, decision: 'wait' },
    {
      ...soaking,
      when: 'the time to correct a refused spec is over while paused',
      release: paused,
      facts: { refused: { reason: 'InvalidSpec', message: 'bad', uncheckedUntilMs: nowMs } },
      decision: 'wait',
    },
    {
      ...soaking,
      when: 'the time to correct it is not over',
      facts: { refused: { reason: 'InvalidSpec', message: 'bad', uncheckedUntilMs: nowMs + 1 } },
      due: true,
      decision: 'wait',
    },
    { ...soaking, when: 'no route holds a share, and it began later', facts: { unroutable: longAgo }, decision: 'wait' },
    {
      ...soaking,
      when: 'no route holds a share, while paused',
      facts: { unroutable: longAgo },
      release: { ...unrouted.release, ...paused },
      decision: 'wait',
    },
    {
      ...soaking,
      when: 'no route holds a share, and the spec is refused',
      facts: { unroutable: longAgo, ...refused },
      release: unrouted.release,
      decision: 'wait',
    },
    { ...soaking, when: 'skipped while paused', ...skip, release: paused, decision: 'wait' },
    { ...soaking, when: 'skipped under a refused spec', ...skip, facts: refused, decision: 'wait' },
    { ...soaking, when: 'skipped, and the routes are not in force', ...skip, facts: unconfirmed, decision: 'wait' },
    { ...soaking, when: 'skipped, and something is not written', ...skip, facts: { converged: false }, decision: 'wait' },
    { ...soaking, when: 'skipped below the ready threshold', ...skip, target: short, decision: 'fallBack' },
    { ...soaking, when: 'skipped below the ready threshold while paused', ...skip, target: short, release: paused, decision: 'wait' },
  ]);

  itDecides(
    recycling.flatMap((state): DecisionCase[] => [
      { state, when: 'the promoted revision is back', target: { revision: 's1:a' }, decision: 'cancel' },
      { state, when: 'a newer revision without pods', target: { revision: 's1:c', pods: 0, configs: config('x') }, decision: 'supersede' },
      {
        state,
        when: 'a newer revision with the same configs: the pods go all the same (E56)',
        target: { revision: 's1:c', pods: 2, configs: config('x') },
        release: { configs: config('x') },
        decision: 'supersedeAfterRecycling',
      },
      { state, when: 'a rollback is asked for', event: { asks: 'rollback' }, decision: 'rollBack' },
      { state, when: 'a rollback hook asks for the end', event: 'stopped', decision: 'rollBack' },
    ]),
  );
});

describe('E27a, E27b, I20: a canary that fails while its state waits', () => {
  const pods = { crashes: 1, lost: 0, unready: 1, ends: {} };
  const counted = { crashes: 0, lost: 0, ends: {}, unreadyMs: 0 };
  const intervalMs = 10_000;
  const due = { release: { failing: { ...counted, judgedMs: nowMs - intervalMs } } };
  const early = { release: { failing: { ...counted, judgedMs: nowMs - intervalMs + 1 } } };
  const crashed = { target: { failing: pods } };
  const waits = ['canaryUnavailable', 'canaryRecovered', 'scalingUp', 'settling', 'raising', 'preRollout.hooks', 'preRollout.gate'];
  const long = { failing: { ...counted, judgedMs: nowMs, unreadyMs: deadlineMs - 1, unreadySinceMs: nowMs - 1 } };
  itDecides([
    ...waits.flatMap((step): DecisionCase[] => {
      const state = `Progressing.${step}`;
      const one = { state, facts: { converged: false } };
      const own: DecisionCase['release'] = step === 'raising' ? { capacity: { side: 'target', pods: 1, reachedMs: nowMs } } : {};
      return [
        { ...one, when: 'its interval is over', ...crashed, release: { ...own, ...due.release }, decision: 'countFailing' },
        {
          ...one,
          when: 'it is the last failed check',
          ...crashed,
          release: { ...own, ...due.release, failedChecks: 2 },
          decision: 'rollBack',
        },
        { ...one, when: 'it was unready for the deadline in all', ...crashed, release: { ...own, ...long }, decision: 'abort' },
      ];
    }),
    { state: 'WaitingPromotion.canaryUnavailable', when: 'its interval is over', ...due, ...crashed, decision: 'countFailing' },
    { state: 'Progressing.canaryRecovered', when: 'it was counted less than an interval ago', ...early, ...crashed, decision: 'wait' },
    { state: 'Progressing.canaryRecovered', when: 'it is paused', ...crashed, release: { ...due.release, ...paused }, decision: 'wait' },
    {
      state: 'Progressing.canaryRecovered',
      when: 'it is blocked',
      ...due,
      ...crashed,
      facts: { blocker: { code: 'Other' } },
      decision: 'wait',
    },
    { state: 'Progressing.canaryRecovered', when: 'its pods are not watched', ...due, facts: { converged: false }, decision: 'wait' },
  ]);
});
