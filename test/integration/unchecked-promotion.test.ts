import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { aSchedule, play } from '../fakes/model/adversary.ts';
import { propertyRuns, propertyTimeoutMs } from '../fakes/property-runs.ts';

type Weakness = 'no pin' | 'no copies' | 'no recheck' | 'pods stay';
const weak = vi.hoisted(() => ({ by: undefined as Weakness | undefined }));

// Only in this file. The promotion reads target and configs as the real one does; then it takes any revision that it has found for the pinned one, or lets the
// primary read the originals.
vi.mock('../../src/controller/facts/target-configs.ts', async (original) => {
  const real = await original<typeof import('../../src/controller/facts/target-configs.ts')>();
  const readTargetConfigs: typeof real.readTargetConfigs = async (canary, ...rest) => {
    const read = await real.readTargetConfigs(canary, ...rest);
    if ('problem' in read) return read;
    // An empty `found` also skips the comparison of its versions.
    if (weak.by === 'no pin') return { ...read, found: new Map(), revision: canary.status?.release?.revision ?? read.revision };
    return weak.by === 'no copies' ? { ...read, copies: { copies: [], names: new Map() } } : read;
  };
  return { ...real, readTargetConfigs };
});

// Pods that have read, or could have read, other configs count as pods of the analysed revision.
vi.mock('../../src/engine/pin.ts', async (original) => {
  const real = await original<typeof import('../../src/engine/pin.ts')>();
  const decidesPods: typeof real.decidesPods = (config) => weak.by !== 'pods stay' && real.decidesPods(config);
  const areSameConfigs: typeof real.areSameConfigs = (...both) => weak.by === 'pods stay' || real.areSameConfigs(...both);
  const wereWrittenBetween: typeof real.wereWrittenBetween = (...both) =>
    weak.by !== 'no recheck' && weak.by !== 'pods stay' && real.wereWrittenBetween(...both);
  return { ...real, decidesPods, areSameConfigs, wereWrittenBetween };
});

/** At most 450 schedules in `npm test`; each weakness has been found within 110 of them. */
const SHARE = 3.75;

const engines: { what: string; weakness: Weakness; seed?: number }[] = [
  { what: 'promotes without looking at the pin', weakness: 'no pin', seed: 2 },
  { what: 'lets the primary read the originals of configs', weakness: 'no copies' },
  { what: 'keeps pods that have read other configs', weakness: 'pods stay' },
  { what: 'does not ask what a config held that was written and holds the same', weakness: 'no recheck', seed: 2 },
];

describe('the same adversary', () => {
  beforeEach(() => {
    weak.by = undefined;
  });

  it.each(engines)(
    'I3: gets bytes promoted that no analysis has seen by an engine that $what',
    {
      timeout: 3 * propertyTimeoutMs,
    },
    async ({ weakness, seed: usualSeed }) => {
      weak.by = weakness;
      const { numRuns, seed } = propertyRuns(SHARE, usualSeed === undefined ? {} : { usualSeed });
      const found = await fc.check(
        fc.asyncProperty(aSchedule, async (schedule) => (await play(schedule)).unanalysed.length === 0),
        { numRuns, seed, endOnFailure: true },
      );
      expect(found.failed).toBe(true);
    },
  );
});
