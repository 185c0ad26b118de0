import fc from 'fast-check';
import type { Verb } from '../../src/api/verb-request.ts';
import { aCanary, type Behaviour, type World, withHooks } from './world.ts';

export type Act =
  | {
      act:
        | 'tick'
        | 'crash'
        | 'apply'
        | 'answer'
        | 'look'
        | 'settle'
        | 'deliver'
        | 'targetDown'
        | 'primaryDown'
        | 'short'
        | 'gates'
        | 'skip'
        | 'refuse'
        | 'go'
        | 'calm'
        | 'hooks'
        | 'suspend'
        | 'breakPrimary'
        | 'late'
        | 'block'
        | 'unconfirm'
        | 'refuseEdit'
        | 'refuseSpec'
        | 'breakCanary'
        | 'roll'
        | 'starve'
        | 'crashPods'
        | 'recoverPods'
        | 'losePods';
    }
  | { act: 'ask'; verb: Verb }
  | { act: 'push'; revision: string }
  | { act: 'verdict'; verdict: 'passed' | 'failed' | 'unmeasured' };

/** Mostly a release that goes on: what disturbs it is rare enough to find it at each of its steps. */
export const anAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 24, arbitrary: fc.constant<Act>({ act: 'go' }) },
  { weight: 8, arbitrary: fc.constantFrom<Act>({ act: 'tick' }, { act: 'apply' }, { act: 'answer' }, { act: 'look' }) },
  { weight: 6, arbitrary: fc.constantFrom<Act>({ act: 'crash' }, { act: 'deliver' }, { act: 'calm' }) },
  { weight: 5, arbitrary: fc.constantFrom<Act>({ act: 'targetDown' }, { act: 'primaryDown' }, { act: 'primaryDown' }) },
  { weight: 2, arbitrary: fc.constantFrom<Act>({ act: 'hooks' }, { act: 'suspend' }, { act: 'breakPrimary' }) },
  { weight: 4, arbitrary: fc.constantFrom<Act>({ act: 'short' }, { act: 'short' }, { act: 'gates' }, { act: 'skip' }, { act: 'refuse' }) },
  { weight: 3, arbitrary: fc.constantFrom('s1:a', 's1:b', 's1:b', 's1:c', 's1:d').map((revision): Act => ({ act: 'push', revision })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom('passed', 'passed', 'failed', 'unmeasured').map((verdict): Act => ({ act: 'verdict', verdict }) as Act),
  },
);

/** The same with all that stops a clock, or moves a deadline. */
export const aRougherAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 12, arbitrary: anAct },
  { weight: 1, arbitrary: fc.constantFrom<Act>({ act: 'block' }, { act: 'unconfirm' }, { act: 'refuseEdit' }, { act: 'refuseSpec' }) },
  { weight: 1, arbitrary: fc.constantFrom<Act>({ act: 'late' }, { act: 'breakCanary' }, { act: 'roll' }, { act: 'starve' }) },
  { weight: 2, arbitrary: fc.constantFrom<Act>({ act: 'crashPods' }, { act: 'crashPods' }, { act: 'recoverPods' }, { act: 'losePods' }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<Verb>('pause', 'pause', 'resume', 'resume', 'promote', 'rollback', 'retry', 'undo')
      .map((verb): Act => ({ act: 'ask', verb })),
  },
);

export const gates = withHooks('pre-rollout', 'confirm-traffic-increase', 'confirm-promotion', 'rollback', 'post-rollout');
export const plans = [
  aCanary({ stepWeight: 40, threshold: 1, ...gates }),
  aCanary({ stepWeight: 10, threshold: 1 }),
  aCanary({ stepWeights: [10, 60], stepWeightPromotion: 25, mirror: true, unmeasured: 'hold' }),
  aCanary({ iterations: 2, ...gates }),
  aCanary({ stepWeight: 30, gateTimeout: '15s', ...withHooks('confirm-rollout', 'confirm-traffic-increase', 'confirm-promotion') }),
  aCanary({ iterations: 2, match: [{ headers: { user: { exact: 'a' } } }] }),
  aCanary({ stepWeight: 50 }, { skipAnalysis: true }),
];

export function run(world: World, one: Act): void {
  switch (one.act) {
    case 'tick':
      world.nowMs += 4_000;
      world.send({ type: 'WAKE', facts: world.facts() });
      break;
    case 'go':
      world.tick();
      break;
    case 'calm':
      calm(world);
      world.sendFacts();
      break;
    case 'crash':
      world.crash();
      break;
    case 'apply':
      world.apply();
      break;
    case 'answer':
      world.answer();
      break;
    case 'look':
      world.sendFacts();
      break;
    case 'settle':
      world.settle();
      break;
    case 'deliver':
      world.deliver();
      break;
    case 'targetDown':
      world.targetDown = !world.targetDown;
      world.sendFacts();
      break;
    case 'primaryDown':
      world.primaryDown = !world.primaryDown;
      world.sendFacts();
      break;
    case 'short':
      // It serves, with fewer pods than its threshold requires.
      world.room.target = world.room.target === 0 ? 1_000 : 0;
      world.sendFacts();
      break;
    case 'gates': {
      const { hooks } = world.behaviour;
      const closed = hooks['confirm-traffic-increase'] === 'refused' ? 'passed' : 'refused';
      Object.assign(hooks, { 'confirm-traffic-increase': closed, 'confirm-promotion': closed });
      break;
    }
    case 'refuse':
      world.behaviour.refusesPromote = !world.behaviour.refusesPromote;
      break;
    case 'skip':
      world.canary = { ...world.canary, spec: { ...world.canary.spec, skipAnalysis: world.canary.spec.skipAnalysis !== true } };
      world.sendFacts();
      break;
    case 'hooks':
      world.behaviour.hooks =
        Object.keys(world.behaviour.hooks).length > 0 ? {} : { 'pre-rollout': 'refused', 'confirm-promotion': 'refused' };
      break;
    case 'breakPrimary':
      if (!world.behaviour.brokenPrimary.delete('s1:b')) world.behaviour.brokenPrimary.add('s1:b');
      break;
    case 'suspend':
      world.canary = { ...world.canary, spec: { ...world.canary.spec, suspend: world.canary.spec.suspend !== true } };
      world.sendFacts();
      break;
    case 'late':
      world.tick(25_000);
      break;
    case 'block':
      toggle(world, 'blocker', { code: 'Forbidden', detail: 'no' });
      break;
    case 'unconfirm':
      toggle(world, 'unconfirmed', 'not accepted');
      break;
    case 'refuseEdit':
      toggle(world, 'refused', { reason: 'InvalidSpec', message: 'bad' });
      break;
    case 'refuseSpec':
      toggle(world, 'refused', { reason: 'InvalidSpec', message: 'bad', uncheckedUntilMs: world.nowMs + 60_000 });
      break;
    case 'breakCanary':
      world.behaviour.stalls = world.nowMs % 8_000 === 0;
      if (!world.behaviour.brokenCanary.delete('s1:b')) world.behaviour.brokenCanary.add('s1:b');
      world.sendFacts();
      break;
    case 'roll':
      world.rolling = world.rolling.target
        ? {}
        : { target: { lastMs: world.nowMs, updated: 2 }, primary: { lastMs: world.nowMs, updated: 1 } };
      world.sendFacts();
      break;
    case 'starve':
      world.scalerGives = world.scalerGives === 1 ? 1_000 : 1;
      break;
    case 'crashPods':
      world.crashPods();
      break;
    case 'recoverPods':
      if (world.failing === undefined) world.watchPods();
      world.recoverPods();
      break;
    case 'losePods': {
      const { crashes = 0, lost = 0, ends = {} } = world.failing ?? {};
      world.failing = { crashes, lost: lost + 1, unready: 0, last: { pod: 'podinfo-x' }, ends };
      world.sendFacts();
      break;
    }
    case 'ask':
      world.request = { verb: one.verb, id: `r${world.asked.length}`, by: 'ann', atMs: world.nowMs };
      world.sendFacts();
      break;
    case 'push':
      world.targetRevision = one.revision;
      world.sendFacts();
      break;
    case 'verdict':
      world.behaviour.verdicts = [{ check: 'errors', verdict: one.verdict }];
      break;
  }
}

function toggle<Name extends 'blocker' | 'unconfirmed' | 'refused'>(world: World, name: Name, value: Behaviour[Name]): void {
  if (world.behaviour[name] === undefined) world.behaviour[name] = value;
  else delete world.behaviour[name];
  world.sendFacts();
}

/** Nothing is suspended, broken or refused any more. */
function calm(world: World): void {
  Object.assign(world, {
    targetDown: false,
    primaryDown: false,
    canary: { ...world.canary, spec: { ...world.canary.spec, suspend: false } },
    room: { target: 1_000, primary: 1_000 },
    rolling: {},
    scalerGives: 1_000,
    ...(world.failing && { failing: { ...world.failing, unready: 0 } }),
  });
  for (const name of ['blocker', 'unconfirmed', 'refused'] as const) delete world.behaviour[name];
  Object.assign(world.behaviour, { hooks: {}, verdicts: [], brokenPrimary: new Set(), brokenCanary: new Set(), refusesPromote: false });
}

/** Lets a random life end well: nothing is suspended, broken or refused any more. */
export function heal(world: World): void {
  calm(world);
  world.sendFacts();
  world.settle();
  world.tickUntil((one) => one.step === 'resting' && one.release.promotedRevision !== undefined && isIdle(one), 200);
}

function isIdle(world: World): boolean {
  return ['Initialized', 'Succeeded', 'Failed'].includes(world.phase) && world.step === 'resting';
}
