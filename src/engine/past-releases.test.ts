import { describe, expect, it } from 'vitest';
import { at, releasing } from '../../test/fakes/releasing.ts';
import { verdict } from '../../test/fakes/stalled-release.ts';
import type { World } from '../../test/fakes/world.ts';
import { MOST_PAST_RELEASES } from '../api/past-release.ts';

const over = verdict({ check: 'errors', value: 7.5, limit: 'at most 1', reason: 'errors: 7.5 is above the maximum of 1' });
const endsOf = ({ release }: World) => release.pastReleases?.map(({ revision, ending }) => `${revision} ${ending.code}`);

/** A release of which every check fails, until its end. */
function failed(world: World = releasing()): World {
  world.behaviour.verdicts = [over];
  world.tickUntil(at('Failed', 'resting'));
  return world;
}

describe('releases that ended without a promotion', () => {
  it('are remembered with revision, begin, end and reason, in the write that records the end', () => {
    const world = releasing();
    const { startedMs, run } = world.release;
    failed(world);
    const { ending, pastReleases = [] } = world.release;
    expect(pastReleases).toEqual([
      {
        ...{ run, revision: 's1:b', startedMs },
        ending: { code: 'ChecksFailed', atMs: ending?.atMs, metric: 'errors', detail: expect.stringContaining('3 failed checks') },
      },
    ]);
  });

  it('are superseded and cancelled ones as well, oldest first, also after a later promotion', () => {
    const world = releasing();
    world.push('s1:c');
    world.push('s1:a');
    world.tickUntil(at('Succeeded', 'resting'));
    expect(endsOf(world)).toEqual(['s1:b Superseded', 's1:c Cancelled']);
    world.push('s1:d');
    world.tickUntil(({ release, phase }) => phase === 'Succeeded' && release.promotedRevision === 's1:d');
    expect(endsOf(world)).toEqual(['s1:b Superseded', 's1:c Cancelled']);
  });

  it('are a few: the oldest is forgotten', () => {
    const world = releasing();
    const superseded = Array.from({ length: MOST_PAST_RELEASES + 2 }, (_, nth) => `s1:n${nth}`);
    for (const revision of superseded) world.push(revision);
    expect(endsOf(world)).toHaveLength(MOST_PAST_RELEASES);
    expect(endsOf(world)?.at(-1)).toBe(`s1:n${MOST_PAST_RELEASES} Superseded`);
  });

  it.each(['in mid-release', 'right after the end'])('have their own begin, duration and end after a process was killed %s', (moment) => {
    const world = releasing();
    const { startedMs } = world.release;
    if (moment === 'in mid-release') {
      world.crash();
      world.nowMs += 5_000;
    }
    failed(world);
    const endedMs = world.release.ending?.atMs;
    if (moment === 'right after the end') {
      world.crash();
      world.nowMs += 60_000;
      world.settle();
    }
    expect(world.release.pastReleases).toMatchObject([{ startedMs, ending: { code: 'ChecksFailed', atMs: endedMs } }]);
    expect(world.release.startedMs).toBe(startedMs);
  });

  it('are not promoted ones, whose template is recorded', () => {
    const world = releasing();
    world.tickUntil(at('Succeeded', 'resting'));
    expect(world.release.pastReleases).toBeUndefined();
  });
});
