import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counting, releasing, type Traffic } from '../../../test/fakes/compared-release.ts';
import { snapshotIn } from '../../../test/fakes/stalled-release.ts';
import type { World } from '../../../test/fakes/world.ts';
import type { AnalysisComparison } from '../../api/comparison.ts';
import { comparedMetrics } from '../../engine/comparison/compared-metrics.ts';
import { comparedSoFar } from '../../engine/comparison/compared-so-far.ts';
import { reportOf } from '../../reading/canary-report.ts';
import { CanaryReport } from '../../reading/documents/canary-documents.ts';
import { releaseViewOf } from '../view/release-view.ts';
import { statusView } from '../view/status-view.ts';
import { statusScreen } from './status-screen.ts';

const terminal = { color: false, unicode: true, live: false, columns: 140 };

function after(ticks: number, comparison: AnalysisComparison, traffic: Traffic, analysis = {}): World {
  const world = releasing(comparison, traffic, analysis);
  for (let tick = 0; tick < ticks; tick += 1) world.tick();
  return world;
}

const partOf = (world: World, wide = false): string => {
  const text = statusScreen(reportOf(snapshotIn({ world })), terminal, wide).join('\n');
  return text.slice(text.indexOf('Compared')).split('\n\n')[0] ?? '';
};

const shown = {
  undecided: () => after(24, { mode: 'gate', pace: 'evidence', latency: {} }, { canary: 0.002, primary: 0.001, perSecond: 1000 }),
  waiting: () => after(60, { mode: 'gate', pace: 'evidence' }, { canary: 0.0021, primary: 0.0005, perSecond: 200 }),
  'bad-in-shadow': () => after(10, { warmUp: '0s' }, { canary: 0.0061, primary: 0.0005, perSecond: 5000 }),
  'rolled-back': () => {
    const world = releasing({ mode: 'gate' }, { canary: 0.05, primary: 0.0005, perSecond: 1000 });
    world.tickUntil(({ phase }) => phase === 'Failed');
    return world;
  },
  fine: () => {
    const world = releasing({ mode: 'gate', latency: {} }, { canary: 0.0003, primary: 0.0003, perSecond: 10_000 });
    world.tickUntil(({ phase }) => phase === 'Succeeded');
    return world;
  },
  unreadable: () => {
    const world = releasing({}, { canary: 0, primary: 0, perSecond: 1 }, { maxWeight: 50 });
    world.behaviour.compare = () => ({ kind: 'unknown', reason: 'Prometheus answered 503' });
    world.tick();
    world.tick();
    return world;
  },
} satisfies Record<string, () => World>;

describe('serin status of a release that is compared', () => {
  it.each(Object.entries(shown))('%s', async (name, make) => {
    const world = make();
    await expect(`${partOf(world)}\n\n${partOf(world, true)}\n`).toMatchFileSnapshot(`../../../test/golden/views/compared/${name}.txt`);
    expect(CanaryReport.safeParse(reportOf(snapshotIn({ world }))).error).toBeUndefined();
  });

  it('docs/comparison.md shows an exact screen', () => {
    expect(readFileSync(join(import.meta.dirname, '../../../docs/comparison.md'), 'utf8')).toContain(
      `\n${partOf(shown.waiting(), true)}\n`,
    );
  });

  it('shows nothing without analysis.comparison', () => {
    const world = after(5, {}, { canary: 0, primary: 0, perSecond: 100 });
    expect(reportOf(snapshotIn({ world })).compared).toHaveLength(1);
    const { comparison: _, ...analysis } = world.canary.spec.analysis;
    world.canary = { ...world.canary, spec: { ...world.canary.spec, analysis } };
    expect(reportOf(snapshotIn({ world }))).not.toHaveProperty('compared');
  });

  it('has a time to decide while the release runs only', () => {
    const world = after(24, { warmUp: '0s' }, { canary: 0.001, primary: 0.001, perSecond: 100 }, { stepWeight: 1 });
    expect(reportOf(snapshotIn({ world })).compared?.[0]?.seconds).toBeGreaterThan(0);
    counting(world, { canary: 0.001, primary: 0.001, perSecond: 0 });
    world.tickUntil(({ phase }) => phase === 'Succeeded', 200);
    expect(reportOf(snapshotIn({ world })).compared?.[0]).toMatchObject({ verdict: 'undecided', sentence: 'no decision was reached' });
    expect(reportOf(snapshotIn({ world })).compared?.[0]).not.toHaveProperty('seconds');
  });

  it('also says after the end why nothing could be compared', () => {
    const world = shown.unreadable();
    world.tickUntil(({ phase }) => phase === 'Succeeded');
    expect(partOf(world)).toBe(
      'Compared with the primary (shadow: decides nothing)\n  undecided  errors    cannot be compared: Prometheus answered 503',
    );
    const withoutRequests = releasing({}, { canary: 0, primary: 0, perSecond: 0 });
    withoutRequests.tickUntil(({ phase }) => phase === 'Succeeded');
    expect(reportOf(snapshotIn({ world: withoutRequests }))).not.toHaveProperty('compared');
  });

  it('I16: of a record that was made up shows nothing impossible, and draws every screen', () => {
    const world = after(10, { latency: {} }, { canary: 0.01, primary: 0.01, perSecond: 100 }, { stepWeight: 1 });
    const [metric] = comparedMetrics(world.canary.spec.analysis);
    if (metric === undefined) throw new Error('nothing is compared');
    const real = comparedSoFar(world.release, metric);
    const number = fc.oneof(
      fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, 1e308, Number.MAX_VALUE, Number.MIN_VALUE),
    );
    const counts = fc.record({ requests: number, failures: number });
    const support = fc.array(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(1e308, -1e308, 0)), {
      minLength: 57,
      maxLength: 57,
    });
    const made = fc.record({
      canary: counts,
      primary: counts,
      support,
      windows: number,
      pace: fc.record({ canary: number, primary: number }),
    });
    fc.assert(
      fc.property(made, fc.string(), (evidence, problem) => {
        const errors = { ...real, problem, evidence: { ...real.evidence, ...evidence } };
        const release = world.canary.status?.release;
        if (release === undefined) throw new Error('nothing is recorded');
        Object.assign(release, { comparison: { ...release.comparison, errors } });
        const snapshot = snapshotIn({ world });
        const report = reportOf(snapshot);
        expect(CanaryReport.safeParse(report).error).toBeUndefined();
        for (const wide of [false, true]) {
          const lines = [
            ...statusScreen(report, terminal, wide),
            ...statusView(releaseViewOf(snapshot, report), { ...terminal, live: true }, 40, world.nowMs, wide),
          ];
          expect(lines.join('\n')).not.toMatch(/NaN|Infinity|undefined/);
        }
      }),
      { numRuns: 300, endOnFailure: true },
    );
  });
});
