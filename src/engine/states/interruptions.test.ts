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
      decides(state, 'the promoted revision is back', 'cancel', { target: { revision: 's1:a' } }),
      decides(state, 'it is back while the canary is stalled', 'cancel', { target: { ...stalled, revision: 's1:a' } }),
      decides(state, 'a newer revision, nothing was promoted yet', 'supersede', {
        target: { revision: 's1:a' },
        release: { promotedRevision: 's1:0' },
      }),
      decides(state, 'a newer revision', 'supersede', { target: { revision: 's1:c' } }),
      decides(state, 'a newer revision while paused', 'supersede', { target: { revision: 's1:c' }, release: paused }),
      decides(state, 'a newer revision with the last failed check', 'supersede', { target: { revision: 's1:c' }, ...measured }),
      decides(state, 'a newer revision, and pods have read other configs', 'supersedeAfterRecycling', {
        target: { revision: 's1:c', pods: 2, configs: config('y') },
        release: { configs: config('x') },
      }),
      decides(state, 'a newer revision, and pods have read the same configs', 'supersede', {
        target: { revision: 's1:c', pods: 2, configs: config('x') },
        release: { configs: config('x') },
      }),
      decides(state, 'a config was written since and holds the same', 'supersedeAfterRecycling', {
        target: { pods: 2, configs: written },
        release: { configs: config('x') },
      }),
      decides(state, 'the configs were not known when it began', 'supersedeAfterRecycling', {
        target: { pods: 2, configs: config('x') },
        release: { observedGeneration: 0 },
      }),
      decides(state, 'the canary is stalled', 'abort', { target: stalled }),
      decides(state, 'it is stalled, and the routes are contested (I18)', 'abort', { target: stalled, facts: contested }),
      decides(state, 'it is stalled, and an answer comes', 'abort', { target: stalled, ...measured }),
      decides(state, 'the time to correct a refused spec is over', 'abort', {
        facts: { refused: { reason: 'InvalidSpec', message: 'bad', uncheckedUntilMs: nowMs } },
      }),
      decides(state, 'no route holds a share for the whole deadline', 'abort', unrouted),
      decides(state, 'the analysis is skipped', 'skipAnalysis', skip),
      decides(state, 'the analysis is skipped, whatever a check says', 'skipAnalysis', { ...skip, ...measured }),
      decides(state, 'the analysis is skipped, with a primary that is down', 'skipAnalysis', { ...skip, primary: down }),
      decides(state, 'promotion is asked for', 'promote', { event: { asks: 'promote' } }),
      decides(state, 'a rollback is asked for', 'rollBack', { event: { asks: 'rollback' } }),
      decides(state, 'a rollback hook asks for the end', 'rollBack', { event: 'stopped' }),
      decides(state, 'a pause is asked for', 'pause', { event: { asks: 'pause' } }),
      decides(state, 'the end of a pause is asked for', 'resume', { event: { asks: 'resume' }, release: paused }),
    ]),
  );

  // With no other work in this step, so that events that do not interrupt show.
  const soaking = { state: 'Progressing.analysing.soaking' };
  itDecides([
    decides(soaking, 'a newer revision goes, and no longer stalls', 'wait', { target: { revision: 's1:b' } }),
    decides(soaking, 'stalled, and something is not written', 'wait', {
      target: { ...stalled, serving: true },
      facts: { converged: false },
    }),
    decides(soaking, 'stalled while paused', 'wait', { target: { ...stalled, serving: true }, release: paused }),
    decides(soaking, 'the time to correct a refused spec is over while paused', 'wait', {
      release: paused,
      facts: { refused: { reason: 'InvalidSpec', message: 'bad', uncheckedUntilMs: nowMs } },
    }),
    decides(soaking, 'the time to correct it is not over', 'wait', {
      facts: { refused: { reason: 'InvalidSpec', message: 'bad', uncheckedUntilMs: nowMs + 1 } },
      due: true,
    }),
    decides(soaking, 'no route holds a share, and it began later', 'wait', { facts: { unroutable: longAgo } }),
    decides(soaking, 'no route holds a share, while paused', 'wait', {
      facts: { unroutable: longAgo },
      release: { ...unrouted.release, ...paused },
    }),
    decides(soaking, 'no route holds a share, and the spec is refused', 'wait', {
      facts: { unroutable: longAgo, ...refused },
      release: unrouted.release,
    }),
    decides(soaking, 'skipped while paused', 'wait', { ...skip, release: paused }),
    decides(soaking, 'skipped under a refused spec', 'wait', { ...skip, facts: refused }),
    decides(soaking, 'skipped, and the routes are not in force', 'wait', { ...skip, facts: unconfirmed }),
    decides(soaking, 'skipped, and something is not written', 'wait', { ...skip, facts: { converged: false } }),
    decides(soaking, 'skipped below the ready threshold', 'fallBack', { ...skip, target: short }),
    decides(soaking, 'skipped below the ready threshold while paused', 'wait', { ...skip, target: short, release: paused }),
  ]);

  itDecides(
    recycling.flatMap((state): DecisionCase[] => [
      decides(state, 'the promoted revision is back', 'cancel', { target: { revision: 's1:a' } }),
      decides(state, 'a newer revision without pods', 'supersede', { target: { revision: 's1:c', pods: 0, configs: config('x') } }),
      decides(state, 'a newer revision with the same configs: the pods go all the same (E56)', 'supersedeAfterRecycling', {
        target: { revision: 's1:c', pods: 2, configs: config('x') },
        release: { configs: config('x') },
      }),
      decides(state, 'a rollback is asked for', 'rollBack', { event: { asks: 'rollback' } }),
      decides(state, 'a rollback hook asks for the end', 'rollBack', { event: 'stopped' }),
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
        decides(one, 'its interval is over', 'countFailing', { ...crashed, release: { ...own, ...due.release } }),
        decides(one, 'it is the last failed check', 'rollBack', { ...crashed, release: { ...own, ...due.release, failedChecks: 2 } }),
        decides(one, 'it was unready for the deadline in all', 'abort', { ...crashed, release: { ...own, ...long } }),
      ];
    }),
    decides('WaitingPromotion.canaryUnavailable', 'its interval is over', 'countFailing', { ...due, ...crashed }),
    decides('Progressing.canaryRecovered', 'it was counted less than an interval ago', 'wait', { ...early, ...crashed }),
    decides('Progressing.canaryRecovered', 'it is paused', 'wait', { ...crashed, release: { ...due.release, ...paused } }),
    decides('Progressing.canaryRecovered', 'it is blocked', 'wait', { ...due, ...crashed, facts: { blocker: { code: 'Other' } } }),
    decides('Progressing.canaryRecovered', 'its pods are not watched', 'wait', { ...due, facts: { converged: false } }),
  ]);
});
