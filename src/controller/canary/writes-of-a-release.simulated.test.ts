import { afterEach, expect, it, vi } from 'vitest';
import { ended, initialized, replicas, weightOf } from '../../../test/fakes/model/damage.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { Release } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { timestamp } from '../../base/timestamp.ts';
import { ApiError } from '../../kube/errors.ts';
import { summaryOf } from '../../reading/canary-reading.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });
afterEach(() => vi.restoreAllMocks());

it('E55, E58: a release of two steps writes its status ten times, and once more for pods that take long: once in the end, for its message and for the scale-down', async () => {
  const lab = await initialized();
  await lab.pass(60_000);
  const before = lab.writes.length;
  // An answer comes sooner than that, so that it is what counts.
  lab.watchLagMs = (kind) => (kind === 'Canary' ? 1_000 : 0);
  const parsed = vi.spyOn(Release, 'safeParse');
  lab.push('2');
  await ended(lab);
  await lab.pass(60_000);
  const writes = lab.writes.slice(before);
  const ofStatus = writes.filter(({ subresource }) => subresource === 'status');
  const scaledDown = writes.findLastIndex(({ subresource }) => subresource === 'scale');
  // A sentence that is an interval old is written: the seed draws how long the pods of the canary take.
  const stepIn = (body: object) => raw(body as KubeObject)?.status.release?.step;
  const counted = ofStatus.filter(({ body }, index) => index === 0 || stepIn(body) !== 'scalingUp');
  expect([lab.phase(), replicas(lab), counted.length]).toEqual(['Succeeded', 0, 10]);
  expect(ofStatus.length).toBeLessThanOrEqual(11);
  // An answer equal to the request is not parsed, and the watch brings the same.
  expect(parsed).not.toHaveBeenCalled();
  expect(writes.slice(scaledDown).filter(({ subresource }) => subresource === 'status')).toHaveLength(1);
  expect(raw(lab.canary())?.status.release).toMatchObject({ deliveries: [], scaledDownUid: expect.any(String) });
});

it("E58: the target's scale of zero is written after 5 s, where the message of the end finds no receiver", async () => {
  const lab = await initialized();
  await lab.pass(60_000);
  lab.refuse = ({ ref, verb }) => {
    if (ref.kind === 'Event' && verb === 'create' && lab.phase() === 'Succeeded')
      throw new ApiError('busy', { status: 503, reason: 'ServiceUnavailable' });
  };
  lab.push('2');
  await ended(lab);
  expect(await lab.passUntil(() => replicas(lab) === 0, 60_000)).toBe(true);
  await lab.pass(6_000);
  expect(raw(lab.canary())?.status.release).toMatchObject({ deliveries: [{ kind: 'event' }], scaledDownUid: expect.any(String) });
});

it('a release that is continued after kill -9 has the begin and the duration of the release, not of the restart', async () => {
  const lab = await initialized();
  lab.push('2');
  expect(await lab.passUntil(() => weightOf(lab) === 25, 120_000)).toBe(true);
  const { startedMs } = raw(lab.canary())?.status.release ?? {};
  lab.kill();
  await lab.pass(90_000);
  lab.start();
  await ended(lab);
  const { release, phase } = raw(lab.canary())?.status ?? {};
  expect([phase, release.startedMs]).toEqual(['Succeeded', startedMs]);
  expect(release.ending.atMs - release.startedMs).toBeGreaterThan(90_000);
  const summary = summaryOf(lab.canary() as KubeObject);
  expect([summary.release?.began, summary.ending?.at]).toEqual([timestamp(startedMs), timestamp(release.ending.atMs)]);
});
