import { expect, it } from 'vitest';
import { parsedCanary } from '../../../test/fakes/parsed-canary.ts';
import type { Canary } from '../../api/canary.ts';
import { OfflineBackends } from './offline-backends.ts';

const canaryIn = (phase: string | undefined, { generation = 1, skipAnalysis = false } = {}): Canary =>
  parsedCanary(
    { skipAnalysis, analysis: { interval: '1m', metrics: [{ name: 'request-success-rate' }] } },
    { generation },
    phase === undefined ? undefined : { phase, failedChecks: 0, canaryWeight: 0, iterations: 0 },
  );

/** Backends that say these, one look after the other; the last one stays. */
function deps(...reasons: (string | undefined)[]) {
  const announced: string[] = [];
  const timers: (() => void)[] = [];
  let asked = 0;
  const findOffline = async () => {
    asked += 1;
    return reasons.length > 1 ? reasons.shift() : reasons[0];
  };
  const setTimer = (_: number, fn: () => void) => {
    timers.push(fn);
    return () => undefined;
  };
  const clock = { nowMs: () => 0, monotonicMs: () => 0, setTimer };
  const look = new OfflineBackends({
    clock,
    findOffline,
    announceOn: (_, { reason, message }) => void announced.push(`${reason}: ${message}`),
  });
  const later = async () => {
    await settled();
    for (const timer of timers.splice(0)) timer();
    await settled();
  };
  return { look, announced, later, asked: () => asked };
}

const signal = new AbortController().signal;
/** Answers that have arrived are processed after this. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const early = [undefined, '', 'Initializing'];
it.each(early)('in phase %j a backend that does not answer is reported once', async (phase) => {
  const { look, announced, later, asked } = deps('metric a cannot be queried: down');
  look.check(canaryIn(phase), signal);
  look.check(canaryIn(phase), signal);
  await later();
  look.check(canaryIn(phase), signal);
  await later();
  expect(asked()).toBe(2);
  expect(announced).toEqual(['MetricsUnavailable: metric a cannot be queried: down']);
});

it('a template that is applied a moment after the Canary is not reported', async () => {
  const { look, announced, later, asked } = deps('not found', undefined);
  look.check(canaryIn(''), signal);
  await later();
  expect(asked()).toBe(2);
  expect(announced).toEqual([]);
});

it('an edit of the spec is looked at again', async () => {
  const { look, announced, later } = deps('down');
  look.check(canaryIn('Initializing'), signal);
  await later();
  look.check(canaryIn('Initializing', { generation: 2 }), signal);
  await later();
  expect(announced).toHaveLength(2);
});

it.each(['Initialized', 'Progressing', 'Succeeded', 'Failed'])('in phase %s no backend is queried', async (phase) => {
  const { look, asked, later } = deps('down');
  look.check(canaryIn(phase), signal);
  await later();
  expect(asked()).toBe(0);
});

it('without an analysis no backend is queried, and answering backends are not reported', async () => {
  const skipped = deps('down');
  skipped.look.check(canaryIn('', { skipAnalysis: true }), signal);
  const fine = deps(undefined);
  fine.look.check(canaryIn(''), signal);
  await fine.later();
  expect(skipped.asked()).toBe(0);
  expect(fine.announced).toEqual([]);
});

it('a look that was cancelled announces nothing and is made again', async () => {
  const { look, announced, later } = deps('down');
  const cancelling = new AbortController();
  look.check(canaryIn(''), cancelling.signal);
  await settled();
  cancelling.abort();
  await later();
  expect(announced).toEqual([]);
  look.check(canaryIn(''), signal);
  await later();
  expect(announced).toEqual(['MetricsUnavailable: down']);
});
