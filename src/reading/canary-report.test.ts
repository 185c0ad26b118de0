import { describe, expect, it } from 'vitest';
import { pushed, snapshotIn, verdict } from '../../test/fakes/stalled-release.ts';
import { aCanary, initialized, type World } from '../../test/fakes/world.ts';
import { reportOf } from './canary-report.ts';
import { CanaryReport } from './documents/canary-documents.ts';
import { whyOf } from './why/diagnose.ts';

const gate = { name: 'errors', type: 'confirm-traffic-increase', url: 'http://gate' } as const;
/** A webhook and a check that share a name. */
const namesakes = () =>
  initialized(
    aCanary({
      stepWeight: 20,
      threshold: 50,
      webhooks: [gate],
      metrics: [{ name: 'errors', query: 'errors', thresholdRange: { max: 1 } }],
    }),
  );
const reported = (world: World) => CanaryReport.parse(JSON.parse(JSON.stringify(reportOf(snapshotIn({ world })))));

describe('serin status', () => {
  it('does not take a failed check for the refusal of a gate of its name', () => {
    const world = namesakes();
    world.behaviour.verdicts = [verdict({ value: 3, reason: 'errors: 3 is above 1' })];
    pushed(world, ({ release }) => release.failedChecks > 0);
    const { gates, blockers } = reported(world);
    expect(gates).toMatchObject([{ name: 'errors', state: 'unasked' }]);
    expect(blockers).toMatchObject([{ code: 'CheckFailed', metric: 'errors', detail: 'errors: 3 is above 1' }]);
    expect(whyOf(snapshotIn({ world })).diagnosis.cause).toBe('CheckFailed');
  });

  it('shows the words of a closed gate unmodified, and no blockers once it is open', () => {
    const world = initialized(aCanary({ stepWeight: 50, threshold: 50, webhooks: [{ ...gate, name: 'confirm-traffic-increase' }] }));
    Object.assign(world.behaviour, { words: 'confirm-traffic-increase: no', hooks: { 'confirm-traffic-increase': 'refused' } });
    pushed(world, ({ release }) => release.refusedBy !== undefined);
    expect(reported(world).gates).toMatchObject([{ state: 'closed', reason: 'confirm-traffic-increase: no' }]);
    expect(reported(world).blockers).toMatchObject([{ code: 'GateClosed', webhook: 'confirm-traffic-increase' }]);
    world.behaviour.unanswered = true;
    world.tick();
    expect(reported(world).gates).toMatchObject([{ state: 'unreachable' }]);
    world.behaviour.hooks['confirm-traffic-increase'] = 'passed';
    world.tickUntil(({ release }) => release.refusedBy === undefined);
    expect(reported(world)).not.toHaveProperty('blockers');
  });
});
