import { describe, expect, it } from 'vitest';
import { handClock } from '../../../test/fakes/clock.ts';
import { type KeptPrimary, waysOn, writeKeptPrimary } from '../../api/kept-primary.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { acceptAnnotation, keptAnnotation, ownerAnnotation } from '../../api/names.ts';
import type { WatchHandler } from '../../kube/cluster.ts';
import { ApiError } from '../../kube/errors.ts';
import { getCanary } from '../../reading/canary-reading.ts';
import { Output } from '../output/output.ts';
import { acceptCommand } from './accept-command.ts';
import { listCommand } from './list-command.ts';
import type { Session } from './session.ts';

const kept: KeptPrimary = {
  primary: 'Deployment/podinfo-primary',
  target: 'Deployment/podinfo',
  promoted: 's1:a',
  unpromoted: 's1:b',
  since: '2026-01-01T00:00:00Z',
  next: waysOn({ namespace: 'test', name: 'shop' }, 'Deployment/podinfo'),
};
const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' };

const anchorWith = (annotations: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: {
    name: 'shop-serin-anchor',
    namespace: 'test',
    labels: { 'serin.dev/record': 'anchor' },
    annotations: { [ownerAnnotation]: 'u', ...annotations },
  },
  data: {
    canaryUid: 'u',
    target: { replicas: 1 },
    canary: {
      metadata: { name: 'shop', namespace: 'test', uid: 'u' },
      spec: { targetRef, service: { port: 80 }, analysis: { interval: '1m', threshold: 1 } },
    },
  },
});
const anchor = anchorWith({ [keptAnnotation]: writeKeptPrimary(kept) });
const target: KubeObject = {
  ...targetRef,
  metadata: { name: 'podinfo', namespace: 'test', uid: 't', annotations: { [keptAnnotation]: writeKeptPrimary(kept) } },
};
const aCanary: KubeObject = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', metadata: { name: 'shop', namespace: 'test' } };

/** A namespace with these objects. `handsOver`: the controller answers to the word. */
function given(objects: readonly KubeObject[], { handsOver = true, refusal }: { handsOver?: boolean; refusal?: ApiError } = {}) {
  const written: object[] = [];
  const shown: string[] = [];
  const notes: string[] = [];
  const clock = handClock();
  const streams = { out: { write: (text: string) => void shown.push(text) }, err: { write: (text: string) => void notes.push(text) } };
  const find = ({ kind, name }: ObjectRef) => objects.find((one) => one.kind === kind && one.metadata.name === name);
  const cluster = {
    get: async (ref: ObjectRef) => find(ref),
    list: async ({ kind }: { kind: string }) => ({ items: objects.filter((one) => one.kind === kind) }),
    async patch(ref: ObjectRef, patch: object) {
      if (refusal) throw refusal;
      written.push({ ...ref, ...patch });
      return find(ref);
    },
    watch(_: unknown, handler: WatchHandler) {
      const after = { ...target, metadata: { ...target.metadata, annotations: {} } };
      queueMicrotask(() => {
        handler.onList([target]);
        if (handsOver) handler.onEvent({ type: 'MODIFIED', object: after });
        else clock.advance(600_000);
      });
      return { synced: Promise.resolve(), stop: () => undefined, ageMs: () => 0, restarts: 0 };
    },
  };
  const session = { cluster, namespace: 'test', clock, output: new Output({}, {}, streams as never) } as unknown as Session;
  return { session, written, shown, notes };
}

const flags = { wait: true, timeout: '10m' };

describe('serin accept', () => {
  it('I19: annotates the target with the revision that the controller has recorded, and waits until it is handed over', async () => {
    const { session, written, shown } = given([anchor, target]);
    expect(await acceptCommand(session, 'shop', flags)).toBe('done');
    expect(written).toEqual([{ ...targetRef, namespace: 'test', metadata: { annotations: { [acceptAnnotation]: 's1:b' } } }]);
    expect(shown.join('')).toContain('accept Deployment/podinfo of the deleted canary shop: handed over (s1:b)');
  });

  it('says so when the target does not serve in time, and with --no-wait waits for nothing', async () => {
    expect(await acceptCommand(given([anchor, target], { handsOver: false }).session, 'shop', flags)).toBe('timedOut');
    expect(await acceptCommand(given([anchor, target], { handsOver: false }).session, 'shop', { ...flags, wait: false })).toBe('done');
  });

  it('is refused by the API server without the right to patch the target', async () => {
    const refusal = new ApiError('forbidden', { status: 403, reason: 'Forbidden' });
    expect(await acceptCommand(given([anchor, target], { refusal }).session, 'shop', flags)).toBe('refused');
  });

  it.each([
    { what: 'a Canary that exists', objects: [anchorWith({}), target, aCanary], exit: 'refused', says: /serin promote shop/ },
    { what: 'nothing that is kept', objects: [anchorWith({}), target], exit: 'notFound', says: /serin list -A/ },
    { what: 'no anchor', objects: [target], exit: 'notFound', says: /no primary of a deleted Canary shop is kept/ },
    { what: 'no target', objects: [anchor], exit: 'notFound', says: /Deployment podinfo not found/ },
    {
      what: 'a mark that cannot be read',
      objects: [anchorWith({ [keptAnnotation]: '{"primary":' }), target],
      exit: 'notFound',
      says: /no primary of a deleted Canary/,
    },
  ])('I19: is refused for $what', async ({ objects, exit, says }) => {
    const { session, written } = given(objects);
    await expect(acceptCommand(session, 'shop', flags)).rejects.toMatchObject({ exit, message: expect.stringMatching(says) });
    expect(written).toEqual([]);
  });
});

it('I19: every command on a Canary that was deleted names the primary that is kept, and the ways on', async () => {
  const { session } = given([anchor, target]);
  await expect(getCanary(session.cluster, 'test', 'shop')).rejects.toMatchObject({
    why: 'notFound',
    message: expect.stringMatching(
      /^Canary test\/shop was deleted while .*Deployment\/podinfo-primary keeps serving.*serin accept shop -n test$/,
    ),
  });
});

it('I19: serin list has a row for a kept primary, and names the ways on', async () => {
  const { session, shown, notes } = given([anchor, target]);
  await listCommand(session, {});
  expect(shown.join('')).toMatch(/shop +deleted, primary kept +- +- +- +\d+[smhd]/);
  expect(notes.join('').replaceAll(/\s+/g, ' ')).toContain('serin accept shop -n test');
});
