import { describe, expect, it } from 'vitest';
import { aCanary, initialized, type World, withHooks } from '../../../test/fakes/world.ts';
import type { Analysis, CanarySpec } from '../../api/canary.ts';
import { JournalMemory } from './journal-memory.ts';
import type { JournalPart } from './journal-part.ts';
import { JournalRecorder } from './recorder.ts';
import { suppose } from './suppose.ts';

/** The journal of one release: one part for each of these functions. */
function journalOf(analysis: Partial<Analysis>, ...stretches: ((world: World) => void)[]): JournalPart[] {
  const world = initialized(aCanary(analysis));
  const parts: JournalPart[] = [];
  const recorder = new JournalRecorder({
    ...{ namespace: 'test', engine: '1.2.3', writer: 'w1', memory: new JournalMemory() },
    hide: () => () => '#0',
    keep: ({ stopped: _, ...part }) => void parts.push(JSON.parse(JSON.stringify(part))),
  });
  world.onStep = (step) => recorder.stepped(step);
  world.push('s1:b');
  for (const stretch of stretches) {
    stretch(world);
    recorder.stop();
  }
  return parts;
}

const toItsEnd = (world: World): void => world.tickUntil(({ phase, step }) => phase === 'Succeeded' && step === 'resting');
const toWeight =
  (weight: number) =>
  (world: World): void =>
    world.tickUntil(({ canary }) => canary.status?.canaryWeight === weight);

const supposing = (parts: readonly JournalPart[], analysis: Partial<Analysis>, spec: Partial<CanarySpec> = {}) =>
  suppose(parts, {
    facts: (facts) => {
      const { canary } = facts;
      return { ...facts, canary: { ...canary, spec: { ...canary.spec, ...spec, analysis: { ...canary.spec.analysis, ...analysis } } } };
    },
    answer: (answer) => answer,
  });

describe('a release under a supposed analysis', () => {
  it('is under analysis while it waits for its promotion, and is promoted if its recorded one was', () => {
    const parts = journalOf({ stepWeight: 50, ...withHooks('confirm-promotion') }, (world) => {
      world.behaviour.hooks['confirm-promotion'] = 'refused';
      world.tickUntil(({ phase }) => phase === 'WaitingPromotion');
      world.tick();
      world.behaviour.hooks['confirm-promotion'] = 'passed';
      toItsEnd(world);
    });
    const same = supposing(parts, {});
    expect(same).toMatchObject({ recorded: { verdict: 'promoted' }, end: { verdict: 'promoted' }, isIncomplete: false });
    expect(same.end.atMs).toBe(same.recorded?.atMs);
    expect(same.first).toBeUndefined();
  });

  it('continues over the parts of a journal, and after its first difference is unknown from steps that were not stored', () => {
    const [before, after] = journalOf({ stepWeight: 10, maxWeight: 50 }, toWeight(20), toItsEnd);
    if (!before || !after) throw new Error('there are not two parts');
    const larger = { stepWeight: 20 };
    const whole = supposing([before, after], larger);
    expect(whole).toMatchObject({ first: { decided: { weight: 20 } }, end: { verdict: 'promoted', weight: 60 }, isIncomplete: false });
    const parts = [before, { ...after, number: 3 }];
    const unknown = { unknown: 'steps that follow were not stored' };
    expect(supposing(parts, larger)).toMatchObject({ first: { decided: { weight: 20 } }, end: unknown, isIncomplete: true });
    // Before a difference, the recorded status with which the next part begins is also its own.
    expect(supposing(parts, {})).toMatchObject({ end: { verdict: 'promoted', weight: 50 }, isIncomplete: true });
  });

  it('takes only answers of hooks that it has called', () => {
    const parts = journalOf({ stepWeight: 50, maxWeight: 50, ...withHooks('confirm-promotion') }, (world) => {
      world.behaviour.hooks['confirm-promotion'] = 'refused';
      world.tickUntil(({ phase }) => phase === 'WaitingPromotion');
      for (let tick = 0; tick < 5; tick += 1) world.tick();
      world.behaviour.hooks['confirm-promotion'] = 'passed';
      toItsEnd(world);
    });
    // A refusal of its rollout hooks would be a failed check, and three of them would roll it back.
    const { first, end } = supposing(parts, withHooks('rollout', 'confirm-promotion'));
    expect(first?.decided).toMatchObject({ state: 'Progressing.analysing.callingHooks', failedChecks: 0 });
    expect(end).toMatchObject({ unknown: expect.stringContaining('when the release was promoted') });
  });

  it('has no end if the journal ends before the release, which has no recorded end either', () => {
    const parts = journalOf({ stepWeight: 10, maxWeight: 50 }, toWeight(20));
    expect(supposing(parts, {})).toEqual({
      end: { unknown: 'the journal ends before the analysis does', atMs: expect.any(Number) },
      isIncomplete: false,
    });
  });

  it('wakes at its own times between two steps, and ends at its own deadline', () => {
    let downMs = 0;
    const parts = journalOf({ stepWeight: 10, maxWeight: 50 }, toWeight(10), (world) => {
      downMs = world.nowMs;
      world.targetDown = true;
      // A controller that was not able to run earlier.
      world.tick(100_000);
      world.targetDown = false;
      world.settle();
      toItsEnd(world);
    });
    // After the interval of 10 s the canary is found to be down, and 15 s later its deadline has passed.
    const { first, end } = supposing(parts, { stepWeight: 20 }, { progressDeadlineSeconds: 15 });
    expect(first?.decided.weight).toBe(20);
    expect(end).toMatchObject({ verdict: 'rolledBack', atMs: downMs + 25_000, reason: expect.stringContaining('not ready within 15 s') });
  });
});
