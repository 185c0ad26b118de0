import { describe, expect, it } from 'vitest';
import { misleadingTexts } from '../../test/fakes/misleading-texts.ts';
import { aCanary, initialized, World, withHooks } from '../../test/fakes/world.ts';
import { LONGEST_DETAIL, MOST_BLOCKERS } from '../api/blocker.ts';
import type { Verdict } from '../api/canary-status.ts';
import { timestamp } from '../base/timestamp.ts';
import { explain } from './explain.ts';
import { projectStatus } from './project-status.ts';
import { dated } from './waits-of.ts';

/** Blockers of the present status, not of the recorded one. */
function saidIn(world: World) {
  const { status } = world.canary;
  const release = status?.release;
  if (!status || !release) throw new Error('nothing is recorded');
  return projectStatus(world.canary, status.phase, release, world.facts()).release;
}

const blockersIn = (world: World) => saidIn(world)?.blockers;
const at = (phase: string, step: string) => (world: World) => world.phase === phase && world.step === step;
const plan = aCanary({ stepWeight: 20, threshold: 50 });

function pushed(canary = plan, prepare: (world: World) => void = () => undefined): World {
  const world = initialized(canary);
  prepare(world);
  world.push('s1:b');
  return world;
}

const object = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name, namespace: 'test' });
const unmeasured = (one: Partial<Verdict>): Verdict => ({ check: 'errors', verdict: 'unmeasured', reason: 'why', ...one });

describe('blockers of a release', () => {
  it('D13: are absent while nothing blocks it, when idle and between two checks', () => {
    expect(saidIn(initialized())).not.toHaveProperty('blockers');
    const world = pushed();
    world.tickUntil(at('Progressing', 'analysing'));
    expect(saidIn(world)).not.toHaveProperty('blockers');
  });

  it('D13: name the object of a blocker with the fields of its source, and end together with it', () => {
    const world = initialized(plan);
    const blocker = { code: 'NameTaken', object: object('podinfo-primary'), field: 'metadata.annotations[serin.dev/adopt]' } as const;
    world.behaviour.blocker = blocker;
    expect(blockersIn(world)).toEqual([{ ...blocker, since: timestamp(world.nowMs) }]);
    expect(explain(world.canary, world.facts())).toContain(' Blocked: Deployment podinfo-primary exists and is not ours');
    delete world.behaviour.blocker;
    expect(saidIn(world)).not.toHaveProperty('blockers');
  });

  it.each([
    ['confirm-rollout', 'Waiting', 'GateClosed'],
    ['pre-rollout', 'Progressing', 'HookRejected'],
    ['confirm-traffic-increase', 'Progressing', 'GateClosed'],
    ['confirm-promotion', 'WaitingPromotion', 'GateClosed'],
    ['rollout', 'Progressing', 'HookRejected'],
  ] as const)('D13: name the %s hook that refuses in %s, with its words, until it passes', (type, phase, code) => {
    const world = pushed(aCanary({ stepWeight: 50, threshold: 50, ...withHooks(type) }), ({ behaviour }) => {
      Object.assign(behaviour, { words: 'Blocked: until 2026-11-20T06:00:00Z', hooks: { [type]: 'refused' } });
    });
    world.tickUntil((now) => now.phase === phase && now.release.refusedBy !== undefined);
    const since = expect.any(String);
    expect(blockersIn(world)).toEqual([{ code, webhook: type, since, detail: 'Blocked: until 2026-11-20T06:00:00Z' }]);
    world.behaviour.hooks[type] = 'passed';
    world.tickUntil(({ release }) => release.reason === undefined);
    expect(world.release).not.toHaveProperty('refusedBy');
    expect(blockersIn(world)?.map((one) => one.code) ?? []).not.toContain(code);
  });

  it.each([
    [
      { check: 'errors', verdict: 'failed', reason: 'errors is 3' },
      { code: 'CheckFailed', metric: 'errors', detail: 'errors is 3' },
    ],
    [unmeasured({}), { code: 'Unmeasured', metric: 'errors', detail: 'why' }],
    [unmeasured({ code: 'NoTraffic' }), { code: 'NoTraffic', metric: 'errors', detail: 'why' }],
    [
      unmeasured({ code: 'QueryInvalid', object: object('t'), field: 'spec.query' }),
      { code: 'QueryInvalid', metric: 'errors', object: object('t'), field: 'spec.query', detail: 'why' },
    ],
    [unmeasured({ observed: true }), undefined],
    [unmeasured({ early: true }), undefined],
  ] as [Verdict, object | undefined][])('D13: name a check that is %j', (verdict, blocker) => {
    const world = pushed(plan, ({ behaviour }) => {
      behaviour.verdicts = [verdict];
    });
    world.tickUntil(({ release }) => (release.verdicts ?? []).length > 0);
    expect(blockersIn(world)).toEqual(blocker && [{ ...blocker, since: expect.any(String) }]);
  });

  it('D13: state until when a check that cannot be measured holds the release', () => {
    const canary = aCanary({ stepWeight: 20, threshold: 50, unmeasured: 'hold' }, { progressDeadlineSeconds: 60 });
    const world = pushed(canary, ({ behaviour }) => {
      behaviour.verdicts = [unmeasured({})];
    });
    world.tickUntil(({ release }) => release.blindSinceMs !== undefined);
    const sinceMs = world.release.blindSinceMs ?? 0;
    expect(blockersIn(world)).toMatchObject([{ code: 'Unmeasured', since: timestamp(sinceMs), until: timestamp(sinceMs + 60_000) }]);
  });

  it.each([
    ['PodsNotReady', false],
    ['RolloutStalled', true],
  ] as const)('D13: name the workload that a step waits for as %s, with its deadline', (code, stalls) => {
    const world = initialized(plan);
    world.behaviour.brokenCanary.add('s1:b');
    world.pushUntil('s1:b', at('Progressing', 'scalingUp'));
    world.behaviour.stalls = stalls;
    const { stepStartedMs } = world.release;
    const until = timestamp(stepStartedMs + 60_000);
    expect(blockersIn(world)).toEqual([{ code, object: object('podinfo'), since: timestamp(stepStartedMs), until }]);
    expect(explain(world.canary, world.facts())).toContain(`rolled back at ${until}`);
  });

  it('D13: name the primary that could not be written, a pause, a suspend and a refused edit', () => {
    const codesIn = (world: World) => blockersIn(world)?.map(({ code }) => code);
    const refused = pushed(plan, ({ behaviour }) => {
      behaviour.refusesPromote = true;
    });
    refused.tickUntil(({ canary, step }) => step === 'writingPrimary' && canary.status?.release?.reason !== undefined);
    expect(blockersIn(refused)).toMatchObject([{ code: 'PrimaryRejected', object: { name: 'podinfo-primary' }, detail: 'forbidden' }]);
    refused.behaviour.refusal = { code: 'TemplateLeftover', object: object('podinfo-primary'), field: 'spec.template.spec.hostNetwork' };
    refused.behaviour.words = 'podinfo-primary still holds it';
    refused.tickUntil(({ canary }) => canary.status?.release?.refusal !== undefined);
    expect(blockersIn(refused)).toMatchObject([{ code: 'PrimaryRejected' }, refused.behaviour.refusal]);
    refused.behaviour.refusesPromote = false;
    refused.tickUntil(({ phase, step }) => phase === 'Succeeded' && step === 'resting');
    expect(refused.release).not.toHaveProperty('refusal');
    expect(saidIn(refused)).not.toHaveProperty('blockers');
    const world = pushed();
    world.tickUntil(at('Progressing', 'analysing'));
    world.ask('pause', '1', 'ann');
    expect(blockersIn(world)).toEqual([{ code: 'Paused', since: timestamp(world.nowMs), detail: 'ann' }]);
    world.behaviour.refused = { reason: 'InvalidSpec', message: 'spec.provider: no', field: 'spec.provider', uncheckedUntilMs: 9_000_000 };
    expect(codesIn(world)).toEqual(['InvalidSpec', 'Paused']);
    expect(blockersIn(world)?.[0]).toMatchObject({ field: 'spec.provider', detail: 'spec.provider: no' });
    expect(blockersIn(world)?.[0], 'no deadline ends a paused release').not.toHaveProperty('until');
    world.ask('resume', '2', 'ann');
    expect(blockersIn(world)).toMatchObject([{ code: 'InvalidSpec', field: 'spec.provider', until: timestamp(9_000_000) }]);
    world.canary.spec.suspend = true;
    expect(codesIn(world)).toEqual(['Suspended']);
    world.canary.spec.suspend = false;
  });

  it('L5, E9: have no end while something blocks the Canary, since no deadline counts then', () => {
    const world = initialized(plan);
    world.behaviour.brokenCanary.add('s1:b');
    world.push('s1:b');
    expect(blockersIn(world)).toMatchObject([{ code: 'PodsNotReady', until: timestamp(world.release.stepStartedMs + 60_000) }]);
    world.behaviour.blocker = 'a quota';
    world.sendFacts();
    expect(blockersIn(world)?.filter((one) => 'until' in one)).toEqual([]);
    expect(saidIn(world)).not.toHaveProperty('dueMs');
    expect(explain(world.canary, world.facts())).toMatch(/ Blocked: a quota\. No deadline counts until that is removed\.$/);
    world.tick(600_000);
    expect(world.phase).toBe('Progressing');
  });

  it('L5, E65: have no end for a refused spec that ends nothing', () => {
    const world = initialized(plan);
    world.behaviour.refused = { reason: 'InvalidSpec', message: 'no', uncheckedUntilMs: world.nowMs + 60_000 };
    expect(blockersIn(world)?.filter((one) => 'until' in one)).toEqual([]);
    expect(saidIn(world)).not.toHaveProperty('dueMs');
  });

  it('D13: keep their time while they last, also if their text changes', () => {
    const first = dated([{ code: 'ApiRejected', detail: 'a' }], [], 1_000_000);
    expect(dated([{ code: 'ApiRejected', detail: 'b' }], first, 2_000_000)).toEqual([
      { code: 'ApiRejected', since: timestamp(1_000_000), detail: 'b' },
    ]);
    expect(dated([{ code: 'ApiRejected', field: 'spec' }], first, 2_000_000)).toMatchObject([{ since: timestamp(2_000_000) }]);
  });

  it('I15: have a small maximum number and short texts', () => {
    const long = 'x'.repeat(100_000);
    const many = Array.from({ length: 500 }, (_, index) => ({ code: 'CheckFailed', metric: `${index}${long}`, detail: long }) as const);
    const stored = dated(many, [], 0);
    expect(stored).toHaveLength(MOST_BLOCKERS);
    expect(stored[0]?.detail).toHaveLength(LONGEST_DETAIL);
    expect(JSON.stringify(stored).length).toBeLessThan(20_000);
  });
});

describe('the time at which a release continues by itself', () => {
  it('D13: is in the sentence whenever it exists, and no other time is', () => {
    const steps = new Map<string, boolean>();
    const compare = (world: World) => {
      const { dueMs } = saidIn(world) ?? {};
      const sentence = explain(world.canary, world.facts());
      if (dueMs !== undefined) expect(sentence).toContain(timestamp(dueMs));
      steps.set(`${world.phase}.${world.step}`, dueMs !== undefined);
    };
    const world = new World(aCanary({ stepWeight: 50 }));
    world.onRecord = () => undefined;
    world.begin();
    for (const revision of ['s1:a', 's1:b']) {
      world.push(revision);
      for (let ticks = 0; ticks < 40; ticks += 1) {
        world.tick();
        compare(world);
      }
    }
    expect(Object.fromEntries(steps)).toMatchObject({ 'Progressing.analysing': true, 'Succeeded.resting': false });
    for (const words of misleadingTexts) {
      const gated = pushed(aCanary({ stepWeight: 50, ...withHooks('confirm-rollout') }), ({ behaviour }) => {
        Object.assign(behaviour, { words, hooks: { 'confirm-rollout': 'refused' } });
      });
      gated.tickUntil(({ release }) => release.refusedBy !== undefined);
      expect(saidIn(gated)).not.toHaveProperty('dueMs');
    }
  });
});
