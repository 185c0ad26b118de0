import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import { type KubeObject, refKey, refOf } from '../../api/kube-object.ts';
import { KnownAnnotations } from '../objects/known-annotations.ts';
import type { ReconcileContext } from './context.ts';
import { ensure } from './ensure-object.ts';
import { HELD, paused, WRITTEN } from './outcome.ts';

const service = (port: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'podinfo', namespace: 'test', resourceVersion: '7' },
  spec: { ports: [{ port }] },
});

/** Ensures port 80, then again after another writer has set this port, while the brake says to wait. */
async function corrected(port: number, waitMs: number): Promise<{ outcome: unknown; writes: number; braked: number }> {
  let live = service(80);
  let [writes, braked] = [0, 0];
  const applied = async (object: KubeObject) => {
    writes += 1;
    return object;
  };
  const noteCorrection = (): void => {
    braked += 1;
  };
  const context = {
    ...{ canary: aCanary(), wanted: new Map(), answers: new Map(), annotations: new KnownAnnotations(), nowMs: 0, config: {} },
    view: { find: () => ({ object: live }), learn: () => undefined },
    cluster: { apply: applied, patch: async (_: unknown, fields: KubeObject) => applied(fields) },
    brake: { waitMs: () => waitMs, corrected: noteCorrection, forget: () => undefined },
    anchors: { reference: async () => undefined },
  } as unknown as ReconcileContext;
  expect(await ensure(context, service(80), { takenOver: true })).toEqual(HELD);
  expect([...context.wanted.keys()]).toEqual([refKey(refOf(live))]);
  live = service(port);
  return { outcome: await ensure(context, service(80), { takenOver: true }), writes, braked };
}

it.each([
  { what: 'at once', waitMs: 0, outcome: WRITTEN, writes: 1 },
  { what: 'not while the brake has a millisecond left', waitMs: 1, outcome: paused(1), writes: 0 },
  { what: 'not while the brake has a second left', waitMs: 1_000, outcome: paused(1_000), writes: 0 },
])('drift is corrected $what', async ({ waitMs, outcome, writes }) => {
  expect(await corrected(81, waitMs)).toEqual({ outcome, writes, braked: writes });
  expect(await corrected(80, waitMs)).toEqual({ outcome: HELD, writes: 0, braked: 0 });
});
