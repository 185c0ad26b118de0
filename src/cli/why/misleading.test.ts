import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { misleadingTexts } from '../../../test/fakes/misleading-texts.ts';
import { pushed, snapshotIn, verdict } from '../../../test/fakes/stalled-release.ts';
import { aCanary, initialized, type World, withHooks } from '../../../test/fakes/world.ts';
import type { HookType } from '../../api/canary.ts';
import type { Cause } from '../../api/codes/codes.ts';
import { blockerOf } from '../../controller/admission/blocker-of.ts';
import { apiErrorOf } from '../../kube/errors.ts';
import { whyOf } from '../../reading/why/diagnose.ts';

/** A release that is stalled after another component has said these words. */
interface MisleadingCase {
  where: string;
  arrange(words: string): World;
  cause: Cause;
}

function hook(type: HookType, cause: Cause): MisleadingCase {
  return {
    where: `a ${type} hook`,
    cause,
    arrange(words) {
      const world = initialized(aCanary({ stepWeight: 20, threshold: 50, ...withHooks(type) }));
      Object.assign(world.behaviour, { words, hooks: { [type]: 'refused' } });
      world.pushUntil('s1:b', ({ release }) => release.refusedBy !== undefined);
      return world;
    },
  };
}

function check(one: Parameters<typeof verdict>[0], cause: Cause): MisleadingCase {
  return {
    where: `a check that is ${one.verdict} (${one.code ?? 'without a code'})`,
    cause,
    arrange(words) {
      const metrics = [{ name: 'errors', query: 'errors', thresholdRange: { max: 1 } }];
      const world = initialized(aCanary({ stepWeight: 20, threshold: 50, metrics }));
      world.behaviour.verdicts = [verdict({ ...one, reason: words })];
      return pushed(world, ({ release }) => (release.verdicts ?? []).length > 0);
    },
  };
}

/** An admission webhook answers in its own words, which follow its name. */
function refusal(status: number, cause: Cause): MisleadingCase {
  return {
    where: `an admission rule that answers ${status}`,
    cause,
    arrange(words) {
      const world = initialized(aCanary({ stepWeight: 20 }));
      const message = `admission webhook "policy.example.com" denied the request: ${words}`;
      const blocker = blockerOf(apiErrorOf('PATCH', status, JSON.stringify({ kind: 'Status', message })), 'test');
      if (blocker) world.behaviour.blocker = blocker;
      world.sendFacts();
      return world;
    },
  };
}

const misleadingCases: readonly MisleadingCase[] = [
  hook('confirm-rollout', 'GateClosed'),
  hook('pre-rollout', 'HookRejected'),
  hook('confirm-traffic-increase', 'GateClosed'),
  hook('confirm-promotion', 'GateClosed'),
  hook('rollout', 'HookRejected'),
  check({ verdict: 'failed', value: 3 }, 'CheckFailed'),
  check({ verdict: 'unmeasured' }, 'Unmeasured'),
  check({ verdict: 'unmeasured', code: 'NoTraffic' }, 'NoTraffic'),
  check({ verdict: 'unmeasured', code: 'QueryInvalid', field: 'spec.analysis.metrics[0].query' }, 'QueryInvalid'),
  refusal(403, 'ApiRejected'),
  refusal(422, 'ApiRejected'),
  {
    where: 'a traffic provider',
    cause: 'RouteUnconfirmed',
    arrange(words) {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })));
      world.behaviour.unconfirmed = words;
      return world;
    },
  },
  {
    where: 'the API server, of the primary',
    cause: 'PrimaryRejected',
    arrange(words) {
      const world = initialized(aCanary({ stepWeight: 50 }));
      Object.assign(world.behaviour, { words, refusesPromote: true });
      return pushed(world, ({ canary, step }) => step === 'writingPrimary' && canary.status?.release?.reason !== undefined);
    },
  },
  {
    where: 'a check, and the release has failed',
    cause: 'Failed',
    arrange(words) {
      const world = initialized(aCanary({ stepWeight: 20, threshold: 1 }));
      world.behaviour.verdicts = [verdict({ value: 3, reason: words })];
      return pushed(world, ({ phase, step }) => phase === 'Failed' && step === 'resting');
    },
  },
  {
    where: 'who paused it',
    cause: 'Paused',
    arrange(words) {
      const world = pushed(initialized(aCanary({ stepWeight: 20 })));
      world.ask('pause', '1', words);
      return world;
    },
  },
];

/** All that programs may act on. */
function foundIn(world: World): unknown {
  const { cause, change, command, look, proof } = whyOf({ ...snapshotIn({ world }), atMs: world.nowMs }).diagnosis;
  return { cause, change, command, look, proof: proof.map(({ kind, name, field }) => [kind, name, field]) };
}

describe('serin why of a release where another component speaks', () => {
  it.each(misleadingCases)('names $cause for $where, whatever that says', ({ arrange: play, cause }) => {
    const plain = foundIn(play('no'));
    expect(plain).toMatchObject({ cause });
    const misled = misleadingTexts.filter((words) => !isDeepStrictEqual(foundIn(play(words)), plain));
    expect(misled).toEqual([]);
  });
});

it('there are at least 40 of them', () => {
  expect(misleadingTexts.length).toBeGreaterThanOrEqual(40);
});
