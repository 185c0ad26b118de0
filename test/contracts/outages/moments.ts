import type { Analysis, HookType } from '../../../src/api/canary.ts';
import { aCanary, initialized, World, withHooks } from '../../fakes/world.ts';

/** State of a release when the monitoring fails, and events in the middle of the outage, which would also occur without it. */
export interface Moment {
  name: string;
  /** The release up to that moment. */
  reach(unmeasured: Analysis['unmeasured']): World;
  /** Gates open, pods become ready, a version is pushed. */
  meanwhile?(world: World): void;
  /** It must come at once even without an outage, or the release would have gone on before. */
  isSoon?: true;
}

type Plan = Partial<Analysis>;
const steps: Plan = { stepWeight: 20, maxWeight: 40 };
const match = [{ headers: { user: { exact: 'a' } } }];
const withoutWeights = (world: World) => {
  world.supports = { weights: false, mirroring: false, headerMatch: false, sessionAffinity: false };
};

/** Initialized, and a release begun; it goes on until the phase and step are reached. */
function at(plan: Plan, state: string, prepare: (world: World) => void = () => undefined, until: (world: World) => boolean = () => true) {
  return (unmeasured: Analysis['unmeasured']): World => {
    const world = initialized(aCanary({ ...plan, unmeasured }), prepare);
    world.pushUntil('s1:b', (one) => `${one.phase}.${one.step}` === state && until(one));
    return world;
  };
}

const weighs = (weight: number) => (world: World) => world.canary.status?.canaryWeight === weight;
const hasCounted = (iterations: number) => (world: World) => world.canary.status?.iterations === iterations;
const closes = (hook: HookType) => (world: World) => {
  world.behaviour.hooks[hook] = 'refused';
};
const opens = (hook: HookType) => (world: World) => {
  world.behaviour.hooks[hook] = 'passed';
};
const breaks = (side: 'brokenCanary' | 'brokenPrimary') => (world: World) => void world.behaviour[side].add('s1:b');
const mends = (side: 'brokenCanary' | 'brokenPrimary') => (world: World) => world.behaviour[side].clear();
const scaled = (world: World) => {
  world.scaler = { name: 'HorizontalPodAutoscaler/podinfo', target: { min: 1, max: 20 }, primary: { min: 1, max: 20 } };
  world.primaryReplicas = 10;
};
const rising = { name: 'with more pods on their way', ...scaledRise() };

function scaledRise(): Pick<Moment, 'reach' | 'meanwhile'> {
  return {
    reach: (unmeasured) => {
      const world = initialized(aCanary({ ...steps, unmeasured }), scaled);
      scaled(world);
      world.sendFacts();
      world.room.target = 1;
      world.pushUntil('s1:b', ({ phase, step }) => `${phase}.${step}` === 'Progressing.raising');
      return world;
    },
    meanwhile: (world) => {
      world.room.target = 100;
    },
  };
}

const analysing = 'Progressing.analysing';

export const moments: readonly Moment[] = [
  {
    name: 'Initializing, the primary is not ready',
    reach: (unmeasured) => {
      const world = new World(aCanary({ ...steps, unmeasured }));
      world.behaviour.brokenPrimary.add('s1:a');
      return world.begin();
    },
    meanwhile: mends('brokenPrimary'),
  },
  { name: 'Initializing, settling', reach: (unmeasured) => new World(aCanary({ ...steps, unmeasured })).begin() },
  {
    name: 'Initialized, idle',
    reach: (unmeasured) => initialized(aCanary({ ...steps, unmeasured })),
    meanwhile: (world) => world.push('s1:b'),
  },
  {
    name: 'Waiting for its start to be confirmed',
    reach: at({ ...steps, ...withHooks('confirm-rollout') }, 'Waiting.gate', closes('confirm-rollout')),
    meanwhile: opens('confirm-rollout'),
  },
  { name: 'Progressing, scaling up', reach: at(steps, 'Progressing.scalingUp', breaks('brokenCanary')), meanwhile: mends('brokenCanary') },
  { name: 'Progressing, settling', reach: at(steps, 'Progressing.settling') },
  {
    name: 'Progressing, the first traffic is not confirmed',
    reach: at({ ...steps, ...withHooks('confirm-traffic-increase') }, 'Progressing.preRollout', closes('confirm-traffic-increase')),
    meanwhile: opens('confirm-traffic-increase'),
  },
  { name: 'Progressing, at its first step', reach: at(steps, analysing, undefined, weighs(20)) },
  { name: 'Progressing, at its last step', reach: at(steps, analysing, undefined, weighs(40)) },
  { name: 'Progressing, with rollout hooks', reach: at({ ...steps, ...withHooks('rollout') }, analysing, undefined, weighs(20)) },
  { name: `Progressing, ${rising.name}`, reach: rising.reach, ...(rising.meanwhile && { meanwhile: rising.meanwhile }) },
  {
    name: 'Progressing, more traffic is not confirmed',
    reach: (unmeasured) => {
      const world = at({ ...steps, ...withHooks('confirm-traffic-increase') }, analysing, undefined, weighs(20))(unmeasured);
      closes('confirm-traffic-increase')(world);
      world.tick();
      return world;
    },
    meanwhile: opens('confirm-traffic-increase'),
  },
  {
    name: 'Progressing, unavailable without pods',
    reach: (unmeasured) => {
      const world = at(steps, analysing, undefined, weighs(20))(unmeasured);
      world.targetDown = true;
      world.sendFacts();
      world.settle();
      return world;
    },
    meanwhile: (world) => {
      world.targetDown = false;
      world.sendFacts();
      world.settle();
    },
  },
  { name: 'Progressing, mirroring', reach: at({ ...steps, mirror: true }, analysing, undefined, (one) => one.routes?.kind === 'mirrored') },
  { name: 'Progressing, A/B at its first iteration', reach: at({ iterations: 3, match }, analysing, undefined, hasCounted(1)) },
  { name: 'Progressing, A/B at its last iteration', reach: at({ iterations: 3, match }, analysing, undefined, hasCounted(3)) },
  { name: 'Progressing, Blue/Green at its first iteration', reach: at({ iterations: 2 }, analysing, undefined, hasCounted(1)) },
  { name: 'Progressing, Blue/Green with all traffic', reach: at({ iterations: 2 }, analysing, undefined, weighs(100)) },
  {
    name: 'Progressing, Blue/Green with mirroring',
    reach: at({ iterations: 2, mirror: true }, analysing, undefined, (one) => one.routes?.kind === 'mirrored'),
  },
  { name: 'Progressing, without weights', reach: at({ iterations: 3 }, analysing, withoutWeights, hasCounted(2)) },
  {
    name: 'WaitingPromotion',
    reach: at({ ...steps, ...withHooks('confirm-promotion') }, 'WaitingPromotion.analysing', closes('confirm-promotion')),
    meanwhile: opens('confirm-promotion'),
  },
  {
    name: 'Promoting, the primary cannot be written',
    reach: at(steps, 'Promoting.writingPrimary', (world) => {
      world.behaviour.refusesPromote = true;
    }),
    meanwhile: (world) => {
      world.behaviour.refusesPromote = false;
    },
  },
  {
    name: 'Promoting, the primary is not ready',
    reach: at(steps, 'Promoting.awaitingPrimary', breaks('brokenPrimary')),
    meanwhile: mends('brokenPrimary'),
  },
  { name: 'Promoting, traffic returns in steps', reach: at({ ...steps, stepWeightPromotion: 10 }, 'Promoting.shifting') },
  { name: 'Finalising', reach: at(steps, 'Finalising.draining') },
  { name: 'Succeeded', reach: at(steps, 'Succeeded.resting'), meanwhile: (world) => world.push('s1:c') },
  {
    name: 'Progressing, a rollback hook is about to say yes',
    reach: at({ ...steps, ...withHooks('rollback') }, analysing, undefined, weighs(20)),
    meanwhile: opens('rollback'),
    isSoon: true,
  },
  {
    name: 'Failed, its traffic returns',
    reach: (unmeasured) => {
      const world = at({ ...steps, ...withHooks('rollback') }, analysing, undefined, weighs(20))(unmeasured);
      opens('rollback')(world);
      world.tick();
      return world;
    },
  },
  {
    name: 'Failed, its last template is put back',
    reach: (unmeasured) => {
      const world = at(steps, 'Promoting.awaitingPrimary', breaks('brokenPrimary'))(unmeasured);
      world.tickUntil(({ phase }) => phase === 'Failed');
      return world;
    },
  },
  {
    name: 'Progressing, and a newer revision comes',
    reach: at(steps, analysing, undefined, weighs(20)),
    meanwhile: (world) => world.push('s1:c'),
    isSoon: true,
  },
  {
    name: 'Progressing, and the promoted revision comes back',
    reach: at(steps, analysing, undefined, weighs(20)),
    meanwhile: (world) => world.push('s1:a'),
    isSoon: true,
  },
];
