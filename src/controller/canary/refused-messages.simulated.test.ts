import { expect, it, vi } from 'vitest';
import { HOOKS } from '../../../test/fakes/model/hook-receiver.ts';
import { aModelCanary, canaryRef, type ModelLab } from '../../../test/fakes/model/lab.ts';
import { awaitEnd, initializedLab, ordersPlan } from '../../../test/fakes/model/released.ts';
import { forgetSpecs } from '../../../test/fakes/model/stored-specs.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';

// A bound against a life that never ends; a day of virtual time takes seconds.
vi.setConfig({ testTimeout: 120_000 });

const HOUR_MS = 3_600_000;
const isOfEnd = (key: string): boolean => key.includes('/Failed/alert');
const left = (lab: ModelLab): string[] => (raw(lab.canary()).status.release.deliveries ?? []).map(({ kind }: { kind: string }) => kind);
const accepted = (lab: ModelLab): string | undefined =>
  raw(lab.canary()).status.conditions.find(({ type }: { type: string }) => type === 'Accepted')?.reason;

/** A failed release whose alert no receiver has taken; then the spec was edited, and Serin restarted. The previous spec is not stored. */
async function restartedLab(receiver: { takes: boolean }, edit: object, webhooks: object[] = [], answerHook = () => 200) {
  const lab = await initializedLab({}, aModelCanary({ ...ordersPlan, webhooks }));
  lab.answerHook = answerHook;
  const taken: string[] = [];
  let attempts = 0;
  lab.notifier = {
    send: async ({ key }) => {
      if (!isOfEnd(key)) return { ok: true };
      attempts += 1;
      if (!receiver.takes) return { ok: false, reason: 'HTTP 503', mayRetry: true };
      taken.push(key);
      return { ok: true };
    },
  };
  lab.kill();
  lab.start();
  lab.externalMetric = () => ({ value: 10, afterMs: 0 });
  lab.push('2');
  await awaitEnd(lab, 'Failed');
  await lab.pass(5_000);
  lab.kill();
  forgetSpecs(lab);
  lab.server.patch(canaryRef, { spec: edit });
  lab.start();
  await lab.pass(5_000);
  expect(accepted(lab)).toBe('InvalidSpec');
  return { lab, taken, attempts: () => attempts };
}

const edits = [
  { what: 'is refused', edit: { analysis: { stepWeight: 0 } } },
  { what: 'cannot be read', edit: { service: { port: 70_000 } } },
];

it.each(edits)('E65, I6, DF860: the alert of the last release is sent after a restart while the spec $what, and once', async ({ edit }) => {
  const receiver = { takes: false };
  const { lab, taken } = await restartedLab(receiver, edit);
  expect(left(lab)).toEqual(['alert']);
  receiver.takes = true;
  await lab.pass(10 * 60_000);
  expect([taken.length, left(lab)]).toEqual([1, []]);
  lab.kill();
  lab.start();
  await lab.pass(10 * 60_000);
  lab.server.patch(canaryRef, { spec: { analysis: ordersPlan, service: { port: 80 } } });
  await lab.pass(60_000);
  expect([taken.length, accepted(lab), eventsOf(lab, 'DeliveryExpired')]).toEqual([1, undefined, []]);
});

it.each(edits)('E54, E65: an alert that no receiver takes is given up after a day, also while the spec $what', async ({ edit }) => {
  const { lab, attempts } = await restartedLab({ takes: false }, edit);
  await lab.pass(23 * HOUR_MS);
  expect(left(lab)).toEqual(['alert']);
  await lab.pass(2 * HOUR_MS);
  expect([left(lab), eventsOf(lab, 'DeliveryExpired')]).toEqual([[], [expect.stringContaining('Given up after 24 h: alert')]]);
  const before = attempts();
  await lab.pass(HOUR_MS);
  expect(attempts()).toBe(before);
});

it('E65: a hook waits for an accepted spec, which has its address', async () => {
  const hook = { name: 'told', type: 'post-rollout', url: `${HOOKS}/told` };
  let called = 0;
  const answer = (status: number) => () => {
    called += 1;
    return status;
  };
  const { lab, taken } = await restartedLab({ takes: true }, { analysis: { stepWeight: 0 } }, [hook], answer(503));
  lab.answerHook = answer(200);
  const before = called;
  await lab.pass(10 * 60_000);
  expect([taken.length, left(lab), called - before]).toEqual([1, ['post-rollout'], 0]);
  lab.server.patch(canaryRef, { spec: { analysis: ordersPlan } });
  await lab.pass(60_000);
  expect([left(lab), called - before]).toEqual([[], 1]);
});
