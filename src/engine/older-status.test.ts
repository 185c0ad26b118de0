import { expect, it } from 'vitest';
import { aCanary, World, withHooks } from '../../test/fakes/world.ts';
import type { Canary, HookType } from '../api/canary.ts';
import type { Release } from '../api/canary-status.ts';
import { parseStatus } from '../api/parse-status.ts';

/** Converts the status to its form before blockers were data and failures were counted. */
function older({ status, ...canary }: Canary): Canary {
  const stored = JSON.parse(JSON.stringify(status ?? {}));
  const {
    blockers: _,
    dueMs: _due,
    refusedBy: _by,
    refusal: _refusal,
    failing: _failing,
    ending: _ending,
    ...release
  }: Release = stored.release ?? {};
  const verdicts = release.verdicts?.map(({ code: _code, object: _object, field: _field, ...verdict }) => verdict);
  const read = parseStatus({ ...stored, release: { ...release, ...(verdicts && { verdicts }) } });
  return read === undefined ? canary : { ...canary, status: read };
}

interface Life {
  what: string;
  canary: Canary;
  /** Acts between two ticks, by their number. */
  act?(world: World, tick: number): void;
}

const gate = (type: HookType) => (world: World, tick: number) => {
  world.behaviour.hooks[type] = tick < 12 ? 'refused' : 'passed';
};

const lives: readonly Life[] = [
  { what: 'a release that succeeds', canary: aCanary({ stepWeight: 20, stepWeightPromotion: 50 }) },
  ...(['confirm-rollout', 'pre-rollout', 'confirm-traffic-increase', 'confirm-promotion', 'rollout'] as const).map((type) => ({
    what: `a ${type} hook that refuses for a while`,
    canary: aCanary({ stepWeight: 50, threshold: 50, ...withHooks(type) }),
    act: gate(type),
  })),
  {
    what: 'a release that fails by its checks',
    canary: aCanary({ stepWeight: 20, threshold: 2 }),
    act(world) {
      world.behaviour.verdicts = [{ check: 'errors', verdict: 'unmeasured', code: 'NoTraffic', reason: 'the query found no series' }];
    },
  },
  {
    what: 'a promotion that fails',
    canary: aCanary({ stepWeight: 50 }),
    act(world) {
      world.behaviour.brokenPrimary.add('s1:b');
    },
  },
  {
    what: 'a primary that may not be written for a while',
    canary: aCanary({ stepWeight: 50 }),
    act(world, tick) {
      world.behaviour.refusesPromote = tick < 12;
    },
  },
  {
    what: 'a blocker that goes',
    canary: aCanary({ stepWeight: 20 }),
    act(world, tick) {
      if (tick < 4 || tick > 8) delete world.behaviour.blocker;
      else world.behaviour.blocker = { code: 'Forbidden', detail: 'no' };
    },
  },
];

/** Runs a life with a restart of the controller after each tick, from the status that `stored` returns. */
function lived({ canary, act }: Life, stored: (canary: Canary) => Canary) {
  const world = new World(canary).begin();
  const steps = new Set<string>();
  const restart = () => {
    steps.add(`${world.phase}.${world.step}`);
    world.canary = stored(world.canary);
    world.crash();
    world.settle();
  };
  for (let ticks = 0; ticks < 5; ticks += 1) {
    world.tick();
    restart();
  }
  world.targetRevision = 's1:b';
  for (let ticks = 0; ticks < 40; ticks += 1) {
    act?.(world, ticks);
    world.tick();
    restart();
  }
  const { phase, step, trace, promoted, listed, release } = world;
  return { phase, step, trace, promoted, listed: [...listed], run: release.run, steps: [...steps] };
}

const seen = new Set<string>();

it.each(lives)('D13: $what goes on from a status without blockers as from one with them', (life) => {
  const now = lived(life, (canary) => canary);
  for (const one of now.steps) seen.add(one);
  expect(lived(life, older)).toEqual(now);
});

it('D13: the lives above reach all phases of a release', () => {
  const phases = new Set([...seen].map((one) => one.split('.')[0]));
  const all = ['Initializing', 'Initialized', 'Waiting', 'Progressing', 'WaitingPromotion', 'Promoting', 'Succeeded', 'Failed'];
  expect(all.filter((phase) => !phases.has(phase))).toEqual([]);
});
