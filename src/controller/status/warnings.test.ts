import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import { RefusedTrafficFields } from '../admission/refused-traffic-fields.ts';
import { warningsOf } from './warnings.ts';

const view = { find: () => undefined, all: () => [] };
const warned = (pods?: Parameters<typeof warningsOf>[4]) => warningsOf(aCanary(), 'istio', view, new RefusedTrafficFields(), pods);

it('E27b: a release whose pods cannot be watched says what counts then, and which right is missing', () => {
  expect(warned({ configs: [], pods: { forbidden: 'pods is forbidden' } })).toEqual([
    {
      type: 'PodsUnwatched',
      message:
        'pods of namespace test cannot be watched (pods is forbidden): a crash of the canary counts by the time for which it is not ready, and not as a failed check. Grant the service account of Serin list and watch on pods',
    },
  ]);
});

it('E27b: pods that are watched, or not yet, are not a warning', () => {
  const failing = { crashes: 0, lost: 0, unready: 0, ends: {} };
  expect([warned(), warned({ configs: [], pods: { failing } })]).toEqual([[], []]);
});
