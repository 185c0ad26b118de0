import { expect, it } from 'vitest';
import { recording, sampleJournal } from '../../../test/fakes/sample-journal.ts';
import { aCanary, initialized } from '../../../test/fakes/world.ts';
import type { JournalPart } from '../../engine/journal/journal-part.ts';
import { journalView } from './journal-view.ts';

const viewOf = (part: JournalPart) =>
  journalView({ namespace: 'test', name: 'podinfo', run: 1, parts: [JSON.parse(JSON.stringify(part))] });

it('a release has its weights and the values of its checks, from its first step to its last', () => {
  const { outcome, steps, checks } = viewOf(sampleJournal());
  expect(outcome).toBe('Succeeded');
  expect(new Set(steps.map(({ weight }) => weight))).toEqual(new Set([0, 50, 100]));
  expect(checks).toEqual([
    {
      ...{ check: 'rate', limit: 'at most 1', max: 1, failed: 0, unmeasured: 0, baseline: [] },
      values: expect.arrayContaining([{ atMs: expect.any(Number), value: 1 }]),
    },
  ]);
  const [first, last] = [steps[0]?.atMs ?? 0, steps.at(-1)?.atMs ?? 0];
  for (const { atMs } of checks[0]?.values ?? []) expect(atMs >= first && atMs <= last).toBe(true);
});

const threeOf = (value: number) => Array(3).fill({ atMs: expect.any(Number), value });

it('failed and unmeasured results are counted, and the latter have no value', () => {
  const world = initialized(aCanary({ stepWeight: 50, threshold: 9 }));
  const recorded = recording(world);
  world.push('s1:b');
  world.behaviour.verdicts = [
    { check: 'errors', verdict: 'failed', value: 9, baseline: 2, limit: 'at most 1' },
    { check: 'lag', verdict: 'unmeasured', reason: 'no series' },
    { check: 'new', verdict: 'unmeasured', early: true },
  ];
  world.tickUntil((one) => one.release.failedChecks === 3);
  const { checks, outcome } = viewOf(recorded());
  expect(outcome).toBeUndefined();
  expect(checks).toEqual([
    { check: 'errors', limit: 'at most 1', failed: 3, unmeasured: 0, values: threeOf(9), baseline: threeOf(2) },
    { check: 'lag', limit: undefined, failed: 0, unmeasured: 3, values: [], baseline: [] },
  ]);
});

it('a page has a bounded number of checks', () => {
  const world = initialized(aCanary({ stepWeight: 50 }));
  const recorded = recording(world);
  world.push('s1:b');
  world.behaviour.verdicts = Array.from({ length: 60 }, (_, index) => ({ check: `m${index}`, verdict: 'passed', value: 1 }));
  world.tickUntil((one) => one.phase === 'Succeeded');
  expect(viewOf(recorded()).checks).toHaveLength(50);
});
