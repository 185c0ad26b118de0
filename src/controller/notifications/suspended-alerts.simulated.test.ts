import { expect, it, vi } from 'vitest';
import { canaryRef, type ModelLab } from '../../../test/fakes/model/lab.ts';
import { awaitEnd, initializedLab } from '../../../test/fakes/model/released.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';

// A bound against a life that never ends; a day of virtual time takes seconds.
vi.setConfig({ testTimeout: 120_000 });

const HOUR_MS = 3_600_000;
const keysLeft = (lab: ModelLab): string[] => (raw(lab.canary()).status.release.deliveries ?? []).map(({ key }: { key: string }) => key);

/** A Canary that is suspended after a failed release, and whose receiver has not taken the alert of it. */
async function suspendedLab(receiver: { takes: boolean }) {
  const lab = await initializedLab();
  const sent: { key: string; isTaken: boolean }[] = [];
  lab.notifier = {
    send: async ({ key }) => {
      const isTaken = receiver.takes || !key.includes('/Failed/');
      sent.push({ key, isTaken });
      return isTaken ? { ok: true } : { ok: false, reason: 'HTTP 503', mayRetry: true };
    },
  };
  lab.kill();
  lab.start();
  lab.externalMetric = () => ({ value: 10, afterMs: 0 });
  lab.push('2');
  await awaitEnd(lab, 'Failed');
  lab.server.patch(canaryRef, { spec: { suspend: true } });
  await lab.passUntil(() => raw(lab.canary()).status.release.suspended === true, 60_000);
  expect(keysLeft(lab)).toEqual([expect.stringContaining('/Failed/alert')]);
  return { lab, sent };
}

it('E52, I6: an alert that is taken while its Canary is suspended leaves the status, and no restart sends it again', async () => {
  const receiver = { takes: false };
  const { lab, sent } = await suspendedLab(receiver);
  receiver.takes = true;
  await lab.pass(10 * 60_000);
  expect(keysLeft(lab)).toEqual([]);
  lab.kill();
  lab.start();
  await lab.pass(60_000);
  lab.server.patch(canaryRef, { spec: { suspend: false } });
  await lab.pass(25 * HOUR_MS);
  expect(sent.filter(({ key, isTaken }) => isTaken && key.includes('/Failed/'))).toHaveLength(1);
  expect(eventsOf(lab, 'DeliveryExpired').filter((text) => text.includes('24 h'))).toEqual([]);
});

it.each([{ what: 'the same process' }, { what: 'a restart', isRestarted: true }])(
  'E52, E54: an alert that no receiver takes is given up after a day, also while its Canary is suspended, by $what',
  async ({ isRestarted = false }) => {
    const { lab, sent } = await suspendedLab({ takes: false });
    await lab.pass(HOUR_MS);
    if (isRestarted) {
      lab.kill();
      lab.start();
    }
    await lab.pass(22 * HOUR_MS);
    expect(keysLeft(lab)).toHaveLength(1);
    await lab.pass(2 * HOUR_MS);
    expect([keysLeft(lab), raw(lab.canary()).status.release.suspended]).toEqual([[], true]);
    expect(eventsOf(lab, 'DeliveryExpired').filter((text) => text.includes('24 h'))).toHaveLength(1);
    const before = sent.length;
    await lab.pass(HOUR_MS);
    expect(sent).toHaveLength(before);
  },
);
