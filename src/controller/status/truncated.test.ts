import { expect, it, vi } from 'vitest';
import { initialized } from '../../../test/fakes/model/damage.ts';
import { canaryRef, type ModelLab } from '../../../test/fakes/model/lab.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const conditions = (lab: ModelLab): { type: string; message: string }[] => raw(lab.canary())?.status.conditions ?? [];
const truncated = (lab: ModelLab) => conditions(lab).find(({ type }) => type === 'StatusTruncated');
/** Another writer's condition, larger than the limit of a whole status. */
const enlarge = (lab: ModelLab) => {
  const foreign = { type: 'Foreign', status: 'True', reason: 'Foreign', message: 'x'.repeat(300_000) };
  const others = conditions(lab).filter(({ type }) => type !== 'Foreign');
  lab.server.patch(canaryRef, { status: { conditions: [...others, foreign] } }, 'status');
};

it('DF605: a status that would be too large is stored without what it can spare: a condition says so, and one event', async () => {
  const lab = await initialized();
  expect([truncated(lab), eventsOf(lab, 'StatusTruncated')]).toEqual([undefined, []]);
  enlarge(lab);
  lab.push('2');
  expect(await lab.passUntil(() => truncated(lab) !== undefined, 60_000)).toBe(true);
  const message = expect.stringContaining('would be larger than 256 KiB, and is stored without the end of long texts');
  expect(truncated(lab)).toMatchObject({ status: 'True', reason: 'StatusTruncated', message });
  expect(JSON.stringify(raw(lab.canary())?.status).length).toBeLessThan(256 * 1024);
  enlarge(lab);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
  expect(eventsOf(lab, 'StatusTruncated')).toEqual([message]);
  await lab.pass(60_000);
  expect(truncated(lab)).toBeUndefined();
});
