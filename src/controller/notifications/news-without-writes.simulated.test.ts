import { expect, it, vi } from 'vitest';
import { APP } from '../../../test/fakes/model/lab.ts';
import { initializedLab, stepOf } from '../../../test/fakes/model/released.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { ApiError, UnreachableError } from '../../kube/errors.ts';

vi.setConfig({ testTimeout: 600_000 });

/** Failures of a write that do not say that the object is refused. */
const failures = {
  'with 500, as for an admission webhook that does not answer': () =>
    new ApiError('failed calling webhook', { status: 500, reason: 'InternalError' }),
  'with 503': () => new ApiError('unavailable', { status: 503, reason: 'ServiceUnavailable' }),
  'without an answer': () => new UnreachableError('write', new Error('no answer')),
};

it.each(Object.entries(failures))(
  'I6: the alert and the Event of a rollback are sent although each write of its routes ends %s',
  async (_, failure) => {
    const lab = await initializedLab();
    const alerts: string[] = [];
    lab.notifier = {
      send: async ({ reason }) => {
        alerts.push(reason);
        return { ok: true };
      },
    };
    lab.kill();
    lab.start();
    lab.push('2');
    expect(await lab.passUntil(() => stepOf(lab) === 'analysing' && raw(lab.canary()).status.canaryWeight > 0, 300_000)).toBe(true);
    // The routes of the step are written by then.
    await lab.pass(3_000);
    let refused = 0;
    lab.refuse = ({ ref }) => {
      if (ref.kind !== 'VirtualService') return;
      refused += 1;
      // An attempt without a pause would never end.
      if (refused <= 100) throw failure();
    };
    lab.externalMetric = () => ({ value: 10, afterMs: 0 });
    expect(await lab.passUntil(() => lab.phase() === 'Failed', 300_000)).toBe(true);
    await lab.pass(60_000);
    const events = lab.server.api.store.list('/events').map(([, stored]) => raw(stored));
    expect(alerts.filter((reason) => reason === 'Failed')).toHaveLength(1);
    expect(events.filter(({ reason, involvedObject }) => reason === 'Failed' && involvedObject.name === APP)).toHaveLength(1);
    expect(raw(lab.canary()).status.release.deliveries ?? []).toEqual([]);
    // Pauses of 0.5 s, then twice as long each time.
    expect(refused).toBeLessThan(20);
  },
);
