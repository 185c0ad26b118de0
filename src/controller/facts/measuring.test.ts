import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import { knativeApiVersion } from '../../api/knative.ts';
import { ControllerConfig } from '../config.ts';
import { makeMeasurer } from './measuring.ts';

it('I11: the checks of a Knative Service that is gone are still measured, without a request for a revision', async () => {
  const deps = {
    ...{ config: ControllerConfig.parse({}), cluster: {}, view: { find: () => undefined }, conditions: {} },
    ...{ clock: { nowMs: () => 0, monotonicMs: () => 0 }, callsOf: () => ({}) },
    metrics: { timeQuery: () => () => () => undefined, measured: () => undefined },
  } as unknown as Parameters<typeof makeMeasurer>[0];
  const canary = aCanary({}, { targetRef: { apiVersion: knativeApiVersion, kind: 'Service', name: 'podinfo' } });
  expect(await makeMeasurer(deps).measure(canary, undefined, new AbortController().signal)).toEqual({ verdicts: [] });
});
