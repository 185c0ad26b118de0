import { expect, it, vi } from 'vitest';
import { canaryRef } from '../../../test/fakes/model/lab.ts';
import { awaitEnd, deleteCanary, initializedLab } from '../../../test/fakes/model/released.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';

// A bound against a life that never ends.
vi.setConfig({ testTimeout: 120_000 });

const givenUp = (lab: Parameters<typeof eventsOf>[0]) => eventsOf(lab, 'DeliveryExpired').filter((text) => text.includes('deleted'));

it.each([{ held: 'without its finalizer' }, { held: 'held by revertOnDeletion', spec: { revertOnDeletion: true } }])(
  'E54, DF859: a deleted Canary, $held, ends its pending messages, and one event names them',
  async ({ spec = {} }) => {
    const lab = await initializedLab();
    let attempts = 0;
    lab.notifier = {
      send: async ({ key }) => {
        if (!key.includes('/Failed/')) return { ok: true };
        attempts += 1;
        return { ok: false, reason: 'HTTP 503', mayRetry: true };
      },
    };
    lab.kill();
    lab.start();
    lab.server.patch(canaryRef, { spec });
    lab.externalMetric = () => ({ value: 10, afterMs: 0 });
    lab.push('2');
    await awaitEnd(lab, 'Failed');
    await lab.pass(10_000);
    expect([attempts > 0, givenUp(lab)]).toEqual([true, []]);
    await deleteCanary(lab);
    const before = attempts;
    await lab.pass(600_000);
    expect([attempts - before, givenUp(lab)]).toEqual([0, ['Given up since the Canary is deleted: alert']]);
  },
);

it('E54: a deleted Canary whose messages were all accepted gives nothing up', async () => {
  const lab = await initializedLab();
  lab.externalMetric = () => ({ value: 10, afterMs: 0 });
  lab.push('2');
  await awaitEnd(lab, 'Failed');
  await lab.pass(10_000);
  await deleteCanary(lab);
  expect(eventsOf(lab, 'PrimaryKept')).not.toEqual([]);
  expect(givenUp(lab)).toEqual([]);
});
