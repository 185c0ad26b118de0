import { expect, it, vi } from 'vitest';
import { aModelCanary, type ModelLab, NAMESPACE, primaryRef } from '../../../test/fakes/model/lab.ts';
import { awaitEnd, initializedLab } from '../../../test/fakes/model/released.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { ApiError } from '../../kube/errors.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const POD = 'shop-primary-x';

/** A release in its promotion, whose primary does not become ready again; `listed` counts the lists of pods. */
async function promoting(state: object, refusal?: ApiError): Promise<{ lab: ModelLab; lists: () => number }> {
  const lab = await initializedLab({}, aModelCanary({ interval: '10s', stepWeight: 50, maxWeight: 50 }, { progressDeadlineSeconds: 120 }));
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Promoting', 300_000)).toBe(true);
  let lists = 0;
  lab.listed = (kind) => {
    if (kind !== 'Pod') return;
    lists += 1;
    if (refusal) throw refusal;
  };
  const primary = lab.server.find(primaryRef);
  if (primary === undefined) throw new Error('no primary');
  // Its new pods never start.
  lab.nodes.aroundRead = () => undefined;
  lab.server.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: POD, namespace: NAMESPACE, labels: raw(primary).spec.template.metadata.labels },
    spec: { containers: [{ name: 'web', image: 'web' }] },
  });
  const ready = [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }];
  const containerStatuses = [{ name: 'web', ready: false, restartCount: 0, state }];
  const status = { phase: 'Pending', conditions: ready, containerStatuses };
  lab.server.patch({ apiVersion: 'v1', kind: 'Pod', name: POD, namespace: NAMESPACE }, { status }, 'status');
  return { lab, lists: () => lists };
}

const waiting = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "registry/web:2"' } };
const endingOf = (lab: ModelLab) => raw(lab.canary())?.status?.release?.ending;

it('E80: a promotion that the primary cannot take ends with the pod, its container and the cause', async () => {
  const { lab, lists } = await promoting(waiting);
  await awaitEnd(lab, 'Failed');
  expect(endingOf(lab)).toMatchObject({
    code: 'PromotionFailed',
    cause: 'ImageUnavailable',
    object: { name: primaryRef.name },
    pod: { pod: POD, container: 'web' },
  });
  expect(endingOf(lab).detail).toContain('registry/web:2');
  expect(eventsOf(lab, 'PromotionFailed')).toEqual([expect.stringContaining('registry/web:2')]);
  // At most once in half a minute, and once at the deadline.
  expect(lists()).toBeGreaterThan(0);
  expect(lists()).toBeLessThanOrEqual(6);
});

it.each([
  { what: 'without the right to read pods', refusal: new ApiError('pods is forbidden', { status: 403, reason: 'Forbidden' }) },
  { what: 'while lists of pods fail', refusal: new ApiError('busy', { status: 503, reason: 'ServiceUnavailable' }) },
])('E80: $what such a promotion ends at its deadline with the words of the workload', async ({ refusal }) => {
  const { lab } = await promoting(waiting, refusal);
  await awaitEnd(lab, 'Failed');
  expect(endingOf(lab)).toMatchObject({ code: 'PromotionFailed', detail: expect.stringContaining('old pods are left: 1') });
  expect(endingOf(lab)).not.toHaveProperty('pod');
});

it('I8: the pods of a primary that becomes ready are never listed', async () => {
  const lab = await initializedLab({}, aModelCanary({ interval: '10s', stepWeight: 50, maxWeight: 50 }));
  let lists = 0;
  lab.listed = (kind) => {
    if (kind === 'Pod') lists += 1;
  };
  lab.push('2');
  await awaitEnd(lab, 'Succeeded');
  expect(lists).toBe(0);
});
