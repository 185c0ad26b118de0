import { describe, expect, it } from 'vitest';
import { at } from '../../test/fakes/releasing.ts';
import { World } from '../../test/fakes/world.ts';

describe('bootstrap', () => {
  it('E4: never takes traffic before the primary is ready and never rolls back (I5)', () => {
    const world = new World();
    world.behaviour.brokenPrimary.add('s1:a');
    world.behaviour.stalls = true;
    world.begin();
    world.tick(61_000);
    world.tick(600_000);
    expect([world.phase, world.apexOnPrimary, world.targetReplicas]).toEqual(['Initializing', false, 1]);
    expect(world.asked.filter((one) => one.kind === 'announce' && one.announcement.reason === 'PrimaryDelayed')).toHaveLength(1);
    world.behaviour.brokenPrimary.clear();
    world.tickUntil(at('Initialized'));
    expect([world.apexOnPrimary, world.targetReplicas]).toEqual([true, 0]);
  });

  it('E111: a primary that is late for want of its target is reported with the target as missing, never as serving', () => {
    const world = new World();
    world.behaviour.brokenPrimary.add('s1:a');
    world.begin();
    const { target: _, ...facts } = world.facts();
    world.nowMs += 61_000;
    world.send({ type: 'WAKE', facts: { ...facts, nowMs: world.nowMs } });
    const late = world.asked.flatMap((one) =>
      one.kind === 'announce' && one.announcement.reason === 'PrimaryDelayed' ? one.announcement : [],
    );
    expect(late.map(({ message }) => message)).toEqual([
      'Primary is not made: Deployment podinfo of spec.targetRef does not exist in namespace test; create it there, or correct spec.targetRef',
    ]);
  });

  it('E6a: traffic moves only when the proxies have had the same delay to learn of the primary', () => {
    const world = new World().begin();
    expect([world.step, world.desired.apexOnPrimary]).toEqual(['settling', false]);
    world.tick(4_999);
    expect(world.step).toBe('settling');
    world.tick(1);
    expect([world.step, world.desired.apexOnPrimary]).toEqual(['draining', true]);
  });

  it('E5: keeps the target for the scale-down delay after the routes moved', () => {
    const world = new World().begin();
    world.tick(5_000);
    expect([world.step, world.targetReplicas]).toEqual(['draining', 1]);
    world.tick(4_999);
    expect([world.step, world.targetReplicas]).toEqual(['draining', 1]);
    world.tick(1);
    expect([world.phase, world.targetReplicas]).toEqual(['Initialized', 0]);
  });
});
