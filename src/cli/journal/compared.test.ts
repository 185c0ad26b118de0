import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counting, type Traffic } from '../../../test/fakes/compared-release.ts';
import { recording } from '../../../test/fakes/sample-journal.ts';
import { aCanary, initialized, type World } from '../../../test/fakes/world.ts';
import type { Canary } from '../../api/canary.ts';
import type { AnalysisComparison } from '../../api/comparison.ts';
import { JournalPart } from '../../engine/journal/journal-part.ts';
import { isSame, replay } from '../../engine/journal/replay.ts';
import { suppose } from '../../engine/journal/suppose.ts';
import { supposedAnalysis } from './supposed-analysis.ts';

const bad: Traffic = { canary: 0.3, primary: 0.0005, perSecond: 100 };
const good: Traffic = { canary: 0.0005, primary: 0.0005, perSecond: 100 };
/** Judged by one metric that always passes, so that only the comparison could end it. */
const metrics = [{ name: 'rate', thresholdRange: { max: 1 } }];

function releasing(comparison: AnalysisComparison | undefined, traffic: Traffic, analysis: Partial<Canary['spec']['analysis']> = {}) {
  const world = initialized(aCanary({ stepWeight: 10, maxWeight: 50, metrics, ...analysis, ...(comparison && { comparison }) }));
  world.behaviour.verdicts = [{ check: 'rate', verdict: 'passed', value: 1, limit: 'at most 1' }];
  counting(world, traffic);
  const facts = world.facts.bind(world);
  world.facts = () => ({ ...facts(), intervalMs: 60_000 });
  const journal = recording(world);
  world.push('s1:b');
  return { world, journal: () => JournalPart.parse(journal()) };
}

const ended = ({ phase, step }: World) => step === 'resting' && (phase === 'Succeeded' || phase === 'Failed');

function journalOf(...given: Parameters<typeof releasing>): JournalPart {
  const { world, journal } = releasing(...given);
  world.tickUntil(ended, 500);
  return journal();
}

const supposing = (part: JournalPart, patch: Record<string, unknown>) => suppose([part], supposedAnalysis({ patch }));

describe('serin replay of a comparison', () => {
  it('decides the same in every step of a release with polls, for all counts, and after crashes', () => {
    const share = fc.double({ min: 0, max: 0.2, noNaN: true });
    const aMinute = fc.record({ canary: share, primary: share, perSecond: fc.nat(1000), crashes: fc.boolean() });
    let polls = 0;
    fc.assert(
      fc.property(fc.constantFrom('gate', 'shadow'), fc.array(aMinute, { minLength: 2, maxLength: 6 }), (mode, minutes) => {
        const { world, journal } = releasing({ mode, latency: {}, warmUp: '0s' }, good);
        for (const { crashes, ...traffic } of minutes) {
          counting(world, traffic);
          for (let tick = 0; tick < 12 && !ended(world); tick += 1) world.tick(5_000);
          if (crashes) world.crash();
        }
        polls += world.asked.filter(({ kind }) => kind === 'compare').length;
        for (const one of replay([journal()])) expect('unfit' in one ? one : isSame(one)).toBe(true);
      }),
      { numRuns: 30 },
    );
    expect(polls).toBeGreaterThan(100);
  });
});

describe('serin backtest --with comparison.mode gate', () => {
  it('says when a release in shadow mode would have been rolled back, and why', () => {
    const { recorded, end } = supposing(journalOf({ warmUp: '0s' }, bad), { comparison: { mode: 'gate' } });
    expect([recorded?.verdict, end]).toMatchObject([
      'promoted',
      { verdict: 'rolledBack', reason: expect.stringContaining('canary 30% errors') },
    ]);
    expect(end.atMs).toBeLessThan(recorded?.atMs ?? 0);
  });

  it('says that one would have been promoted', () => {
    expect(supposing(journalOf({ warmUp: '0s' }, good), { comparison: { mode: 'gate' } }).end).toMatchObject({ verdict: 'promoted' });
  });

  it.each<[string, AnalysisComparison | undefined, Record<string, unknown>, RegExp]>([
    ['without a comparison', undefined, {}, /errors was not counted/],
    ['without latency', {}, { latency: {} }, /latency was not counted/],
    ['with other limits of latency', { latency: {} }, { latency: { tolerate: '3x' } }, /latency has other limits/],
  ])('does not know of a release %s', (_, comparison, more, reason) => {
    expect(supposing(journalOf(comparison, bad), { comparison: { mode: 'gate', ...more } }).end).toMatchObject({
      unknown: expect.stringMatching(reason),
    });
  });
});
