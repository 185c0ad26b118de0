import { describe, expect, it } from 'vitest';
import { releasing } from '../../../test/fakes/compared-release.ts';
import { recording, sampleJournal } from '../../../test/fakes/sample-journal.ts';
import { evidenceShares } from '../../judge/judge-comparison.ts';
import { comparedStates } from '../comparison/compared-state.ts';
import { comparedCourse } from './compared-course.ts';
import type { JournalPart } from './journal-part.ts';

describe('the course of the evidence', () => {
  it('is recomputed from the journal, and ends at what the status has', () => {
    const world = releasing({ warmUp: '0s', latency: {} }, { canary: 0.004, primary: 0.001, perSecond: 300 }, { stepWeight: 1 });
    const recorded = recording(world);
    const seen: { atMs: number; against: number }[] = [];
    for (let tick = 0; tick < 40; tick += 1) {
      world.tick();
      const [errors] = comparedStates(world.release, world.canary);
      if (errors) seen.push({ atMs: errors.known.evidence.untilMs, against: evidenceShares(errors.judgement).against });
    }
    const course = comparedCourse([recorded()]).filter(({ metric }) => metric === 'errors');
    expect(course.length).toBeGreaterThan(10);
    for (const { atMs, against } of course.slice(0, -1)) expect(seen).toContainEqual({ atMs, against });
    expect(course.map(({ against }) => against)).toEqual(course.map(({ against }) => against).toSorted((a, b) => a - b));
  });

  it('holds the polls of a gate, and ends with the verdict that rolled the release back', () => {
    const world = releasing({ mode: 'gate' }, { canary: 0.05, primary: 0.0005, perSecond: 1000 }, {}, 60_000);
    const recorded = recording(world);
    for (let tick = 0; world.phase === 'Progressing' && tick < 60; tick += 1) world.tick(5_000);
    const course = comparedCourse([recorded()]);
    expect(world.phase).toBe('Failed');
    expect(course.at(-1)).toMatchObject({ metric: 'errors', against: 1, verdict: 'bad' });
    expect(course.length).toBeGreaterThan(2);
  });

  it('is empty without a comparison, and ends where a journal cannot be followed', () => {
    expect(comparedCourse([sampleJournal()])).toEqual([]);
    const world = releasing({ warmUp: '0s' }, { canary: 0.001, primary: 0.001, perSecond: 300 }, { stepWeight: 1 });
    const recorded = recording(world);
    for (let tick = 0; tick < 20; tick += 1) world.tick();
    const part = recorded();
    expect(comparedCourse([part])).not.toEqual([]);
    const [segment] = part.segments;
    const odd = { ...part, segments: [{ ...segment, from: { ...segment?.from, value: 'nowhere' } }] } as JournalPart;
    expect(comparedCourse([odd])).toEqual([]);
  });
});
