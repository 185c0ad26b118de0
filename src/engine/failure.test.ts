import { describe, expect, it } from 'vitest';
import { at, releasing, steps } from '../../test/fakes/releasing.ts';
import { aCanary, initialized, withHooks } from '../../test/fakes/world.ts';
import { explain } from './explain.ts';

describe('failure', () => {
  it('E21: the threshold rolls the release back at once, not an interval later', () => {
    const world = releasing({ threshold: 1 });
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed', value: 9, reason: 'errors: 9 is above the maximum of 1' }];
    const before = world.wakeAtMs;
    world.tick();
    expect([world.phase, world.nowMs]).toEqual(['Failed', before]);
    expect(world.canary.status?.conditions?.[0]?.message).toContain('errors: 9 is above the maximum of 1');
  });

  it('E30: a failed release is recorded before anything acts, with traffic and message together', () => {
    const world = releasing({ threshold: 1 });
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.auto = false;
    world.tick();
    world.crash();
    expect([world.phase, world.canary.status?.release?.routes]).toMatchObject(['Failed', { canary: 0 }]);
    expect(world.routes).toMatchObject({ canary: 20 });
    world.auto = true;
    world.settle();
    expect(world.routes).toMatchObject({ canary: 0 });
  });

  it('E31: if the primary does not serve, traffic stays with the side that does until the primary serves (I5)', () => {
    const world = releasing({ threshold: 1 });
    world.primaryDown = true;
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.tick();
    expect([world.phase, world.routes]).toMatchObject(['Failed', { canary: 20 }]);
    world.primaryDown = false;
    world.settle();
    expect(world.routes).toMatchObject({ canary: 0 });
  });

  it('E6: a stalled canary fails at once and a late one at the progress deadline', () => {
    const world = initialized(aCanary(steps));
    world.behaviour.brokenCanary.add('s1:b').add('s1:c');
    world.push('s1:b');
    world.tick(59_000);
    expect(world.phase).toBe('Progressing');
    world.tick(1_000);
    expect(world.phase).toBe('Failed');
    world.tickUntil(at('Failed', 'resting'));
    world.behaviour.stalls = true;
    world.push('s1:c');
    expect(world.phase).toBe('Failed');
  });

  it('E9: a blocker that only a user can remove never fails a release', () => {
    const world = initialized(aCanary(steps));
    world.behaviour.blocker = 'CRD virtualservices is missing';
    world.push('s1:b');
    world.tick(600_000);
    expect(world.phase).toBe('Progressing');
    expect(explain(world.canary, world.facts())).toContain('virtualservices');
    delete world.behaviour.blocker;
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  describe('routes that the provider does not confirm', () => {
    const unconfirmed = (analysis = {}) => {
      const world = releasing(analysis, 20);
      world.behaviour.unconfirmed = 'edge says Accepted False';
      return world;
    };

    it('E63: a passed check takes no step, and the condition says why; when they are confirmed the release continues', () => {
      const world = unconfirmed();
      for (let ticks = 0; ticks < 5; ticks += 1) world.tick();
      expect([world.phase, world.canary.status?.canaryWeight]).toEqual(['Progressing', 20]);
      expect(world.asked.some(({ kind }) => kind === 'measure')).toBe(true);
      expect(explain(world.canary, world.facts())).toContain('Not in force yet: edge says Accepted False');
      delete world.behaviour.unconfirmed;
      world.tickUntil(at('Succeeded', 'resting'));
    });

    it('E63: failed checks still roll the release back', () => {
      const world = unconfirmed();
      world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
      world.tickUntil(at('Failed'));
      expect(world.routes).toMatchObject({ kind: 'weighted', canary: 0 });
    });

    it('E63: a rollback hook is still called', () => {
      const world = unconfirmed(withHooks('rollback'));
      world.behaviour.hooks.rollback = 'passed';
      world.tickUntil(at('Failed'));
    });

    it('E63: no release starts under such routes', () => {
      const world = initialized(aCanary(steps));
      world.behaviour.unconfirmed = 'edge says Accepted False';
      world.push('s1:b');
      world.tick(60_000);
      expect([world.phase, world.routes]).toMatchObject(['Progressing', { canary: 0 }]);
      expect(world.canary.status?.release?.failedChecks).toBe(0);
    });
  });

  it('E27: a canary without pods gets no traffic, keeps its step and counters, and continues when it recovers', () => {
    const world = releasing({}, 20);
    world.targetDown = true;
    world.settle();
    expect([world.step, world.routes, world.canary.status?.canaryWeight]).toMatchObject(['canaryUnavailable', { canary: 0 }, 0]);
    world.targetDown = false;
    world.settle();
    expect([world.step, world.routes], 'E6a: proxies do not know of its pods yet').toMatchObject(['canaryRecovered', { canary: 0 }]);
    world.tickUntil(at('Progressing', 'analysing'));
    expect(world.routes).toMatchObject({ canary: 20 });
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('a target that cannot be seen gets no traffic, and is waited for without a failed check', () => {
    const world = releasing({}, 20);
    const seen = world.facts.bind(world);
    world.facts = () => {
      const { target: _, ...facts } = seen();
      return facts;
    };
    world.tick();
    expect([world.phase, world.routes, world.release.failedChecks]).toMatchObject(['Progressing', { canary: 0 }, 0]);
    world.facts = seen;
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });

  it('E27: a canary that stays without pods fails at the progress deadline', () => {
    const world = releasing();
    world.targetDown = true;
    world.settle();
    world.tick(60_000);
    expect(world.phase).toBe('Failed');
  });

  it('E22: with unmeasured: hold nothing advances and nothing fails (I11)', () => {
    const world = releasing({ unmeasured: 'hold' });
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'unmeasured', reason: 'connection refused' }];
    for (let ticks = 0; ticks < 5; ticks += 1) world.tick();
    expect([world.phase, world.canary.status?.canaryWeight, world.release.failedChecks]).toEqual(['Progressing', 20, 0]);
    world.behaviour.verdicts = [];
    world.tickUntil(at('Succeeded'));
    expect(world.promoted).toEqual(['s1:b']);
  });
});
