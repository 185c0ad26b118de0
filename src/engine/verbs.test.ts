import { describe, expect, it } from 'vitest';
import { aCanary, initialized, World, withHooks } from '../../test/fakes/world.ts';
import { cellOf, type RowName } from '../../test/scenarios/verbs/table.ts';
import { Verb, type VerbRequest } from '../api/verb-request.ts';
import { weightOf } from './strategy.ts';
import { refusalOf } from './verbs.ts';

const plan = { stepWeight: 10, maxWeight: 50 };

/** A release of `s1:b` at 10%. */
function analysing(canary = aCanary(plan)): World {
  const world = initialized(canary);
  world.pushUntil('s1:b', (one) => one.step === 'analysing');
  return world;
}

function succeeded(): World {
  const world = analysing(aCanary({ stepWeight: 100, maxWeight: 100 }));
  world.tickUntil((one) => one.phase === 'Succeeded' && one.step === 'resting');
  return world;
}

function failed(): World {
  const world = analysing();
  world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
  world.tickUntil((one) => one.phase === 'Failed' && one.step === 'resting');
  world.behaviour.verdicts = [];
  return world;
}

/** Every phase in which a request can arrive. */
const places: Readonly<Record<string, () => World>> = {
  'Initializing (its primary is made)': () => {
    const world = new World();
    world.primaryDown = true;
    return world.begin();
  },
  Initialized: () => initialized(),
  'Waiting (for its gate)': () => {
    const world = initialized(aCanary({ ...plan, ...withHooks('confirm-rollout') }));
    world.behaviour.hooks = { 'confirm-rollout': 'refused' };
    world.push('s1:b');
    return world;
  },
  'Progressing (no pods yet)': () => {
    const world = initialized(aCanary(plan));
    world.behaviour.brokenCanary.add('s1:b');
    world.push('s1:b');
    return world;
  },
  'Progressing (at 10%)': () => analysing(),
  'Progressing (the canary is down)': () => {
    const world = analysing();
    world.targetDown = true;
    world.settle();
    return world;
  },
  'WaitingPromotion (for its gate)': () => {
    const world = analysing(aCanary({ stepWeight: 50, maxWeight: 50, ...withHooks('confirm-promotion') }));
    world.behaviour.hooks = { 'confirm-promotion': 'refused' };
    world.tickUntil((one) => one.phase === 'WaitingPromotion');
    return world;
  },
  'Promoting (the primary is not ready)': () => {
    const world = analysing();
    world.behaviour.brokenPrimary.add('s1:b');
    world.tickUntil((one) => one.phase === 'Promoting' && one.step === 'awaitingPrimary');
    return world;
  },
  'Finalising (traffic is routed to the primary)': () => {
    const world = analysing();
    world.tickUntil((one) => one.phase === 'Finalising');
    return world;
  },
  Succeeded: succeeded,
  'Failed (its traffic is routed to the primary)': () => {
    const world = analysing();
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.tickUntil((one) => one.phase === 'Failed' && one.step === 'draining');
    return world;
  },
  Failed: failed,
};

/** Places in which a verb is carried out, with the resulting place; in all others it is refused. */
const outcomes: Readonly<Partial<Record<Verb, Readonly<Record<string, RegExp>>>>> = {
  promote: {
    'Waiting (for its gate)': /^Progressing/,
    'Progressing (at 10%)': /^(Promoting|Finalising)/,
    'WaitingPromotion (for its gate)': /^(Promoting|Finalising)/,
  },
  rollback: {
    'Waiting (for its gate)': /^Failed/,
    'Progressing (no pods yet)': /^Failed/,
    'Progressing (at 10%)': /^Failed/,
    'Progressing (the canary is down)': /^Failed/,
    'WaitingPromotion (for its gate)': /^Failed/,
  },
  pause: {
    'Waiting (for its gate)': /^Waiting/,
    'Progressing (no pods yet)': /^Progressing.scalingUp/,
    'Progressing (at 10%)': /^Progressing.analysing/,
    'Progressing (the canary is down)': /^Progressing.canaryUnavailable/,
    'WaitingPromotion (for its gate)': /^WaitingPromotion.analysing/,
  },
  retry: { 'Failed (its traffic is routed to the primary)': /^Failed.draining/, Failed: /^Progressing/ },
  undo: { Succeeded: /^Progressing/ },
  restart: { Initialized: /^Initialized.resting/, Succeeded: /^Succeeded.resting/, Failed: /^Failed.resting/ },
};

const outcomeOf = (world: World, id: string) => world.canary.status?.release?.requests?.filter((one) => one.id === id) ?? [];
const cells = Verb.options.flatMap((verb) => Object.keys(places).map((place) => ({ verb, place, leadsTo: outcomes[verb]?.[place] })));

/** Row of each place in the table of docs/verbs.md. */
const rowsOf: readonly [start: string, row: RowName][] = [
  ['Initializing', 'unborn'],
  ['Initialized', 'initialized'],
  ['Waiting (', 'waiting'],
  ['Progressing', 'progressing'],
  ['WaitingPromotion', 'waitingPromotion'],
  ['Promoting', 'promoting'],
  ['Finalising', 'promoting'],
  ['Succeeded', 'succeeded'],
  ['Failed (', 'goingHome'],
  ['Failed', 'failed'],
];

describe('each verb in each phase', () => {
  it.each(cells)('E70: $verb in $place is what the table of docs/verbs.md says', ({ verb, place, leadsTo }) => {
    const row = rowsOf.find(([start]) => place.startsWith(start))?.[1];
    // The table has the same condition: if the canary is ready.
    const isUnready = verb === 'promote' && /no pods|is down/.test(place);
    expect(row && 'effect' in cellOf(row, verb, false) && !isUnready).toBe(leadsTo !== undefined);
  });

  it.each(cells)('E70: $verb in $place', ({ verb, place, leadsTo }) => {
    const world = places[place]?.() ?? new World();
    const before = JSON.stringify([world.phase, world.step, world.release.run, world.release.routes]);
    world.ask(verb, 'r1');
    const [outcome, ...more] = outcomeOf(world, 'r1');
    expect(more).toEqual([]);
    expect(outcome).toMatchObject({ verb, by: 'ann', outcome: leadsTo ? 'carriedOut' : 'refused' });
    const listed = world.asked.flatMap((one) => (one.kind === 'announce' ? [one.announcement.reason] : []));
    expect(listed.filter((reason) => reason.startsWith('Request'))).toEqual([leadsTo ? 'RequestCompleted' : 'RequestRejected']);
    if (leadsTo) expect(`${world.phase}.${world.step}`).toMatch(leadsTo);
    else {
      expect(outcome?.reason).toMatch(/\w+ \w+/);
      expect(JSON.stringify([world.phase, world.step, world.release.run, world.release.routes])).toBe(before);
    }
    // The same id again, before and after a crash, changes nothing.
    const stored = JSON.stringify(world.canary.status?.release?.requests);
    const run = world.release.run;
    world.ask(verb, 'r1');
    world.crash();
    world.settle();
    expect([JSON.stringify(world.canary.status?.release?.requests), world.release.run]).toEqual([stored, run]);
  });

  it.each(cells.filter(({ leadsTo }) => leadsTo))(
    'E70: $verb in $place, asked twice under two ids, is carried out once',
    ({ verb, place }) => {
      const world = places[place]?.() ?? new World();
      world.ask(verb, 'r1');
      const { run } = world.release;
      world.ask(verb, 'r2');
      const both = [...outcomeOf(world, 'r1'), ...outcomeOf(world, 'r2')];
      expect(both.map(({ outcome }) => outcome)).toEqual(['carriedOut', 'refused']);
      expect(world.release.run).toBe(run);
    },
  );

  it.each([
    { ahead: '5 minutes', byMs: 300_000, outcome: 'carriedOut' },
    { ahead: 'more than 5 minutes', byMs: 300_001, outcome: 'refused' },
    { ahead: 'longer than any date', byMs: 8e15, outcome: 'refused' },
  ])('E70: a request that is dated $ahead ahead is $outcome', ({ byMs, outcome }) => {
    const world = analysing();
    world.request = { verb: 'rollback', id: 'ahead', by: 'ann', atMs: world.nowMs + byMs };
    world.settle();
    const [answer] = world.release?.requests ?? [];
    expect(answer).toMatchObject({ id: 'ahead', outcome });
    if (outcome === 'refused') expect(answer?.reason).toMatch(/^it is dated .*Z, more than 5 minutes ahead/);
    else expect(answer?.reason).toBeUndefined();
  });

  it('E70: a request is refused if the Canary is suspended, if it is older than an hour, or if it cannot be read', () => {
    const world = analysing();
    world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: true } };
    world.ask('rollback', 'suspended');
    world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: false } };
    world.request = { verb: 'rollback', id: 'old', by: 'ann', atMs: world.nowMs - 3_600_001 };
    world.settle();
    world.request = { id: 'odd', problem: 'the verb "stop" cannot be read' };
    world.settle();
    expect(world.release.requests?.map(({ id, outcome, reason = '' }) => [id, outcome, reason.slice(0, 24)])).toEqual([
      ['suspended', 'refused', 'spec.suspend is true, so'],
      ['old', 'refused', 'it was requested at 1969'],
      ['odd', 'refused', 'the verb "stop" cannot b'],
    ]);
    expect(world.phase).toBe('Progressing');
  });

  it('E52, E70: a request of a suspended Canary is answered, and nothing else of its release continues', () => {
    const world = initialized(aCanary({ ...plan, ...withHooks('confirm-rollout') }));
    world.targetRevision = 's1:b';
    world.sendFacts();
    expect(world.asked.at(-1)?.kind).toBe('runHooks');
    world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: true } };
    world.sendFacts();
    const before = world.asked.length;
    world.ask('rollback', 'suspended');
    expect(world.asked.slice(before).map(({ kind }) => kind)).toEqual(['record', 'announce']);
  });

  it('E70: reasons name the called confirm-rollout hooks of a revision, and the pods of a cancelled release that are being stopped', () => {
    const gated = failed();
    gated.canary = aCanary({ ...plan, ...withHooks('confirm-rollout') });
    gated.request = { verb: 'retry', id: 'r1', by: 'ann', atMs: gated.nowMs };
    gated.sendFacts();
    expect(gated.step).toBe('confirming');
    gated.request = { verb: 'retry', id: 'r2', by: 'bob', atMs: gated.nowMs };
    gated.sendFacts();
    expect(outcomeOf(gated, 'r2')[0]?.reason).toMatch(/^the confirm-rollout hooks of its next release are being called/);
    const cancelled = analysing();
    cancelled.targetRevision = 's1:a';
    cancelled.settle();
    expect(cancelled.step).toBe('draining');
    cancelled.ask('undo', 'u');
    expect(outcomeOf(cancelled, 'u')[0]?.reason).toMatch(/^its release was cancelled, and its pods are being stopped/);
  });

  it('E70: ten requests are remembered', () => {
    const world = initialized();
    for (let each = 0; each < 12; each += 1) world.ask('resume', `r${each}`);
    expect(world.release.requests?.map(({ id }) => id)).toEqual(['r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9', 'r10', 'r11']);
  });
});

it.each([
  { place: 'Promoting (the primary is not ready)', verb: 'pause', reason: /, which is not stopped half-way$/ },
  { place: 'Finalising (traffic is routed to the primary)', verb: 'pause', reason: /, which is not stopped half-way$/ },
  { place: 'Succeeded', verb: 'pause', reason: /nothing to pause; spec\.suspend holds up releases that are to come$/ },
  { place: 'Promoting (the primary is not ready)', verb: 'rollback', reason: /wait for the end, then undo it$/ },
  { place: 'Finalising (traffic is routed to the primary)', verb: 'rollback', reason: /wait for the end, then undo it$/ },
  { place: 'Succeeded', verb: 'rollback', reason: /so there is nothing to roll back$/ },
] as const)('E70: in $place the answer to $verb says what can be done instead', ({ place, verb, reason }) => {
  const world = places[place]?.() ?? new World();
  world.ask(verb, 'r1');
  expect(outcomeOf(world, 'r1')).toMatchObject([{ outcome: 'refused', reason: expect.stringMatching(reason) }]);
});

describe('pause and resume', () => {
  it('E71: a paused release makes no call or query, keeps its weight and fails at no deadline, through a crash, and continues when it is resumed', () => {
    const world = analysing();
    world.ask('pause', 'p');
    const asked = world.asked.length;
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    for (let each = 0; each < 5; each += 1) world.tick(600_000);
    world.crash();
    world.settle();
    expect(world.asked.slice(asked).filter(({ kind }) => kind === 'measure' || kind === 'runHooks')).toEqual([]);
    expect([world.phase, weightOf(world.release.routes), world.release.failedChecks]).toEqual(['Progressing', 10, 0]);
    expect(world.canary.status?.conditions?.[0]?.message).toContain('Paused by ann since');
    world.behaviour.verdicts = [];
    world.ask('resume', 'r', 'bob');
    world.tickUntil((one) => one.phase === 'Succeeded');
    expect(world.release.paused).toBeUndefined();
  });

  it('E71: time for which a release was paused does not count against a deadline: the canary has the rest of it', () => {
    const world = places['Progressing (no pods yet)']?.() ?? new World();
    world.tick(40_000);
    world.ask('pause', 'p');
    world.tick(500_000);
    world.ask('resume', 'r');
    world.tick(15_000);
    expect(world.phase).toBe('Progressing');
    world.tick(10_000);
    expect(world.phase).toBe('Failed');
  });

  it.each(['blindSinceMs', 'awaitedSinceMs'] as const)('E71, I11: a pause moves on %s, from which a deadline is counted', (since) => {
    const world = analysing(aCanary({ ...plan, unmeasured: 'hold' }));
    if (since === 'blindSinceMs') world.behaviour.verdicts = [{ check: 'errors', verdict: 'unmeasured', reason: 'timeout' }];
    else world.room.target = 0;
    world.tick();
    const before = world.release[since];
    expect(before).toBeDefined();
    world.ask('pause', 'p');
    const pausedMs = world.release.paused?.sinceMs ?? 0;
    world.tick(500_000);
    world.ask('resume', 'r');
    expect(world.release[since]).toBe((before ?? 0) + world.nowMs - pausedMs);
  });

  it('E71: a pause does not hold what protects users: a canary that goes down loses its traffic, and gets it again when it serves', () => {
    const world = analysing();
    world.ask('pause', 'p');
    world.targetDown = true;
    world.settle();
    expect([world.step, weightOf(world.release.routes)]).toEqual(['canaryUnavailable', 0]);
    world.tick(1_000_000);
    world.targetDown = false;
    world.settle();
    world.tick(10_000);
    expect([world.step, weightOf(world.release.routes), world.release.paused?.by]).toEqual(['analysing', 10, 'ann']);
    world.tick(60_000);
    expect(weightOf(world.release.routes)).toBe(10);
  });

  it('E71: a newer revision replaces the paused one and is also paused; the promoted revision in the target ends both', () => {
    const world = analysing();
    world.ask('pause', 'p');
    world.push('s1:c');
    world.tick(60_000);
    world.tick(60_000);
    expect([world.phase, weightOf(world.release.routes), world.release.revision]).toEqual(['Progressing', 0, 's1:c']);
    expect(world.release.paused?.by).toBe('ann');
    world.pushUntil('s1:a', (one) => one.phase === 'Succeeded' && one.step === 'resting');
    expect(world.release.paused).toBeUndefined();
  });

  it('E71: an answer that comes after the pause decides nothing', () => {
    const world = analysing();
    world.behaviour.verdicts = [{ check: 'errors', verdict: 'failed' }];
    world.nowMs += 10_000;
    world.send({ type: 'WAKE', facts: world.facts() });
    world.apply();
    world.sendFacts();
    world.request = { verb: 'pause', id: 'p', by: 'ann', atMs: world.nowMs };
    world.sendFacts();
    world.settle();
    expect([world.release.failedChecks, world.release.paused?.by]).toEqual([0, 'ann']);
  });
});

describe('promote, rollback, retry and undo', () => {
  it('E72: promote ends the analysis and a pause: only the pinned revision is promoted', () => {
    const world = analysing();
    world.ask('pause', 'p');
    world.ask('promote', 'r');
    world.tickUntil((one) => one.phase === 'Succeeded' && one.step === 'resting');
    expect([world.promoted, world.release.paused]).toEqual([['s1:b'], undefined]);
  });

  it('E72: promote is refused if the canary is not ready, or while an edit of the spec is refused or a blocker exists', () => {
    const world = analysing();
    world.behaviour.blocker = 'no CRD';
    world.ask('promote', 'blocked');
    delete world.behaviour.blocker;
    world.behaviour.refused = { reason: 'InvalidSpec', message: 'spec.analysis' };
    world.ask('promote', 'edited');
    expect(world.release.requests?.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['blocked', 'refused'],
      ['edited', 'refused'],
    ]);
    expect(world.promoted).toEqual([]);
  });

  it('E73: rollback names the user who requested it, and a new revision starts a release as usual', () => {
    const world = analysing();
    world.ask('rollback', 'r');
    expect(world.release.reason).toBe('ann requested it');
    expect(weightOf(world.release.routes)).toBe(0);
    world.tickUntil((one) => one.phase === 'Failed' && one.step === 'resting');
    world.push('s1:c');
    expect(world.phase).toBe('Progressing');
  });

  it('E74: undo puts the earlier revision into the target once, through a crash before the answer, and that revision is released', () => {
    const world = succeeded();
    world.request = { verb: 'undo', id: 'u', by: 'ann', atMs: world.nowMs };
    world.sendFacts();
    expect([world.step, world.release.requests]).toEqual(['undoing', undefined]);
    world.crash();
    world.settle();
    expect([world.undone, outcomeOf(world, 'u')[0]?.outcome, world.phase]).toEqual([1, 'carriedOut', 'Progressing']);
    world.tickUntil((one) => one.phase === 'Succeeded' && one.step === 'resting');
    expect([world.release.promotedRevision, world.undone]).toEqual(['s1:a', 1]);
  });

  it('E74: an undo that is not possible is refused with a reason, and nothing changes', () => {
    const world = succeeded();
    world.behaviour.refusesUndo = 'Flux keeps Deployment podinfo';
    world.ask('undo', 'u');
    expect(outcomeOf(world, 'u')[0]).toMatchObject({ outcome: 'refused', reason: 'Flux keeps Deployment podinfo' });
    expect([world.phase, world.step, world.release.undo, world.targetRevision]).toEqual(['Succeeded', 'resting', undefined, 's1:b']);
  });

  it.each([{ hooks: [] }, { hooks: ['confirm-rollout'] as const }])(
    'E75: a retry while the pods of the failed release are kept is noted, survives a crash, and begins when they have stopped ($hooks)',
    ({ hooks }) => {
      const world = analysing(aCanary({ ...plan, ...(hooks.length > 0 && withHooks(...hooks)) }));
      world.ask('rollback', 'b');
      world.tickUntil((one) => one.phase === 'Failed' && one.step === 'draining');
      const { run } = world.release;
      world.ask('retry', 'r');
      expect(outcomeOf(world, 'r')[0]?.outcome).toBe('carriedOut');
      expect(world.canary.status?.conditions?.[0]?.message).toContain('Then the same revision is released again, as ann requested');
      world.ask('retry', 'r2');
      expect(outcomeOf(world, 'r2')[0]).toMatchObject({ outcome: 'refused', reason: expect.stringContaining('ann') });
      world.crash();
      world.tickUntil((one) => one.release.run > run);
      expect(world.release.retry).toBeUndefined();
      world.tickUntil((one) => one.phase === 'Succeeded');
      expect([world.promoted, world.release.run]).toEqual([['s1:b'], run + 1]);
    },
  );

  it('E72, E75: a noted retry that is rolled back at its gate does not come back', () => {
    const world = analysing(aCanary({ ...plan, ...withHooks('confirm-rollout') }));
    world.ask('rollback', 'b');
    world.tickUntil((one) => one.phase === 'Failed' && one.step === 'draining');
    world.behaviour.hooks = { 'confirm-rollout': 'refused' };
    world.ask('retry', 'r');
    world.tickUntil((one) => one.phase === 'Waiting');
    expect(world.release.retry).toBeUndefined();
    world.ask('rollback', 'b2');
    world.tickUntil((one) => one.phase === 'Failed' && one.step === 'resting');
    world.tick(60_000);
    world.settle();
    expect([world.phase, world.step]).toEqual(['Failed', 'resting']);
  });

  it('E75: a noted retry that could not begin for an hour is void, and another one is carried out', () => {
    const world = analysing();
    world.ask('rollback', 'b');
    world.tickUntil((one) => one.phase === 'Failed' && one.step === 'draining');
    world.ask('retry', 'r');
    world.behaviour.refused = { reason: 'InvalidSpec', message: 'spec.x: is wrong' };
    world.tickUntil((one) => one.phase === 'Failed' && one.step === 'resting');
    world.tick(3_700_000);
    delete world.behaviour.refused;
    world.sendFacts();
    expect(world.phase).toBe('Failed');
    world.ask('retry', 'r2');
    expect([outcomeOf(world, 'r2')[0]?.outcome, world.phase]).toEqual(['carriedOut', 'Progressing']);
  });

  it('E75: a noted retry is void once the target holds another revision', () => {
    const world = analysing();
    world.ask('rollback', 'b');
    world.tickUntil((one) => one.phase === 'Failed' && one.step === 'draining');
    world.ask('retry', 'r');
    world.push('s1:c');
    expect([world.release.revision, world.release.retry]).toEqual(['s1:c', undefined]);
  });

  it('E75: retry calls the confirm-rollout gate again', () => {
    const world = analysing(aCanary({ ...plan, ...withHooks('confirm-rollout') }));
    world.ask('rollback', 'b');
    world.tickUntil((one) => one.phase === 'Failed' && one.step === 'resting');
    world.behaviour.hooks = { 'confirm-rollout': 'refused' };
    world.ask('retry', 'r');
    expect(world.phase).toBe('Waiting');
    world.behaviour.hooks = {};
    world.tickUntil((one) => one.phase === 'Succeeded');
    expect(world.promoted).toEqual(['s1:b']);
  });
});

it('E70: a request while the primary is restarted after a failed release is refused with the restart as reason, not a rollback', () => {
  const world = initialized(aCanary(plan));
  const request: VerbRequest = { verb: 'undo', id: 'r', by: 'ann', atMs: world.facts().nowMs };
  const refusal = refusalOf(request, 'Failed', { ...world.release, step: 'restarting' }, world.facts());
  expect(refusal).toBe('its primary is being restarted, and only a promotion that is complete is undone');
});
