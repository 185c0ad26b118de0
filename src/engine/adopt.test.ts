import { describe, expect, it } from 'vitest';
import { aCanary, initialized } from '../../test/fakes/world.ts';
import type { CanaryStatus } from '../api/canary-status.ts';
import type { Phase } from '../api/phase.ts';
import { allToPrimary, type Routes, weight } from '../api/routes.ts';
import type { Adoption, Facts } from './facts.ts';
import { handleEvent, phaseOf, releaseOf, start } from './machine.ts';

const at30: Routes = { kind: 'weighted', canary: weight(30) };
const NOW = 's1:now';
const HELD = 's1:held';

interface Left {
  phase: Phase;
  routes?: Routes;
  iterations?: number;
  failedChecks?: number;
  adoption?: Partial<Adoption>;
}

/** A cluster as Flagger leaves it, and Serin's first step in it. */
function adopted({ phase, routes = allToPrimary, iterations = 0, failedChecks = 0, adoption }: Left) {
  const world = initialized(aCanary({ stepWeight: 10, maxWeight: 50 }));
  const status: CanaryStatus = { phase, failedChecks, canaryWeight: 0, iterations, lastAppliedSpec: '5f8fd4f546' };
  const canary = { ...world.canary, status };
  const up = { readiness: { state: 'ready', ready: 1, wanted: 1 }, serving: true, replicas: 1 } as const;
  const seen = world.facts();
  const facts: Facts = {
    ...seen,
    canary,
    target: { ...up, uid: 't-1', generation: 4, revision: NOW, template: NOW },
    primary: up,
    liveRoutes: routes,
    adoption: { target: NOW, equals: false, primaryRevision: HELD, pushed: false, ...adoption },
  };
  const { next, questions } = handleEvent(start(canary, facts), { type: 'RESUME', facts });
  return { phase: phaseOf(next), release: releaseOf(next), questions, facts };
}

describe('E3: a revision that Flagger promoted is not analysed again', () => {
  it.each([
    { phase: 'Initialized', equals: true, becomes: 'Initialized', step: 'resting' },
    { phase: 'Succeeded', equals: true, becomes: 'Succeeded', step: 'resting' },
    { phase: 'Succeeded', equals: false, becomes: 'Progressing', step: 'scalingUp' },
    { phase: 'Initialized', equals: false, becomes: 'Progressing', step: 'scalingUp' },
    { phase: 'Failed', equals: true, becomes: 'Failed', step: 'resting' },
    { phase: 'Failed', equals: false, becomes: 'Failed', step: 'resting' },
  ] as const)('E3: $phase with a target equal to the primary ($equals) becomes $becomes', ({ phase, equals, becomes, step }) => {
    const now = adopted({ phase, adoption: { equals } });
    expect([now.phase, now.release.step, now.questions[0]?.kind]).toEqual([becomes, step, 'record']);
    expect(now.release.revision).toBe(NOW);
    expect(now.release.promotedRevision).toBe(equals ? NOW : HELD);
  });

  it('E3: a failed revision is not started again, but a revision that was pushed after the last status is', () => {
    expect(adopted({ phase: 'Failed', adoption: { pushed: true } }).phase).toBe('Progressing');
  });
});

describe('E3: a release in progress continues from its current step', () => {
  it.each<Left & { step: string }>([
    { phase: 'Progressing', routes: at30, failedChecks: 1, step: 'analysing' },
    { phase: 'Progressing', routes: { kind: 'matched', match: [{ headers: { x: { exact: '1' } } }] }, iterations: 2, step: 'analysing' },
    { phase: 'Progressing', routes: { kind: 'mirrored', share: weight(100) }, step: 'analysing' },
    { phase: 'Progressing', iterations: 3, step: 'analysing' },
    { phase: 'Progressing', step: 'settling' },
    { phase: 'WaitingPromotion', routes: at30, iterations: -1, step: 'analysing' },
    { phase: 'Promoting', routes: at30, adoption: { equals: true }, step: 'shifting' },
    { phase: 'Waiting', step: 'gate' },
  ])('E3: $phase with routes $routes and iteration $iterations continues in $step', (left) => {
    const now = adopted(left);
    expect([now.phase, now.release.step]).toEqual([left.phase, left.step]);
    expect(now.release.routes).toEqual(left.routes ?? allToPrimary);
    expect(now.release.failedChecks).toBe(left.failedChecks ?? 0);
    expect(now.release.iterations).toBe(Math.max(0, left.iterations ?? 0));
    expect(now.release.revision).toBe(NOW);
  });

  it('E3: it is checked after an interval, not at once, since the other controller has just checked it', () => {
    const { release, facts } = adopted({ phase: 'Progressing', routes: at30 });
    expect(release.wakeAtMs).toBe(facts.nowMs + facts.intervalMs);
  });

  it('E3: Finalising routes the traffic to the primary and ends', () => {
    const now = adopted({ phase: 'Finalising', adoption: { equals: true } });
    expect([now.phase, now.release.promotedRevision]).toEqual(['Finalising', NOW]);
    expect(now.release.routes).toEqual(allToPrimary);
  });
});

describe('E3: a push during the switch-over is not lost, and never promoted unseen', () => {
  it('E3: a revision that is pushed during an analysis is analysed from the start', () => {
    const now = adopted({ phase: 'Progressing', routes: at30, adoption: { pushed: true } });
    expect([now.phase, now.release.step, now.release.revision, now.release.run]).toEqual(['Progressing', 'scalingUp', NOW, 1]);
    expect(now.release.routes).toEqual(allToPrimary);
  });

  it('E3: after a push during a promotion, the analysed revision is finished first, and the pushed revision is released next', () => {
    const now = adopted({ phase: 'Promoting', routes: at30 });
    expect([now.phase, now.release.step, now.release.revision]).toEqual(['Promoting', 'shifting', HELD]);
    expect(now.release.template).toBe(NOW);
  });

  it('E3: a target that is back at the revision of the primary ends the release as cancelled', () => {
    const now = adopted({ phase: 'Progressing', routes: at30, adoption: { equals: true } });
    expect([now.phase, now.release.promotedRevision, now.release.routes]).toEqual(['Succeeded', NOW, allToPrimary]);
  });

  it('E3: a revision that is pushed while the primary is being made is not part of it', () => {
    const now = adopted({ phase: 'Initializing' });
    expect([now.phase, now.release.promotedRevision]).toEqual(['Initializing', HELD]);
  });
});
