import { expect, it, vi } from 'vitest';
import { aDeployment, aModelCanary, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { aLab, anHpa, hpaRef, plan, refTo } from '../../../test/fakes/model/scaled.ts';
import type { KubeObject } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const settings: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: NAMESPACE },
  data: { color: 'blue' },
};

interface Absence {
  what: string;
  reason: string;
  /** Fields of the Canary's spec that lead to the object. */
  spec: object;
  object: KubeObject;
  prepare(lab: ModelLab): void;
}
const absences: Absence[] = [
  { what: 'target', reason: 'TargetNotFound', spec: {}, object: aDeployment('1'), prepare: (lab) => lab.server.delete(targetRef) },
  { what: 'scaler', reason: 'Blocked', spec: refTo(hpaRef), object: anHpa(), prepare: () => undefined },
  { what: 'config', reason: 'ConfigUnavailable', spec: {}, object: settings, prepare: readSettings },
];

function readSettings(lab: ModelLab): void {
  const reader = {
    name: 'web',
    image: '1',
    ports: [{ name: 'http', containerPort: 9898 }],
    envFrom: [{ configMapRef: { name: 'settings' } }],
  };
  lab.server.patch(targetRef, { spec: { template: { spec: { containers: [reader] } } } });
}

/** Reasons of the Warning events that were written, in order. */
const warnings = ({ writes }: ModelLab): string[] =>
  writes.flatMap(({ verb, ref, body }) => {
    const { type, reason } = body as { type?: string; reason: string };
    return verb === 'create' && ref.kind === 'Event' && type === 'Warning' ? [reason] : [];
  });

async function withoutIt({ spec, prepare }: Absence): Promise<ModelLab> {
  const lab = await aLab();
  lab.watched = false;
  prepare(lab);
  lab.start();
  await lab.pass(1_000);
  lab.server.create(aModelCanary(plan, spec));
  return lab;
}

it.each(absences)('I12: a $what that comes 3 s after its Canary causes no event', async (one) => {
  const lab = await withoutIt(one);
  await lab.pass(3_000);
  lab.server.create(one.object);
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  expect(warnings(lab)).toEqual([]);
});

it.each(absences)('I12: a $what that never comes is one event, after 10 s', async (one) => {
  const lab = await withoutIt(one);
  await lab.pass(9_500);
  expect(warnings(lab)).toEqual([]);
  await lab.pass(1_500);
  expect(warnings(lab)).toEqual([one.reason]);
  // Its primary is late after a minute, which is another event.
  await lab.pass(40_000);
  expect(warnings(lab)).toEqual([one.reason]);
});

it('I12: a watch of Deployments that is 4 s late makes no event of a target that exists', async () => {
  const lab = await aLab();
  lab.server.delete(targetRef);
  lab.watched = false;
  lab.start();
  await lab.pass(1_000);
  lab.watchLagMs = (kind) => (kind === 'Deployment' ? 4_000 : 0);
  lab.server.create(aDeployment('1'));
  lab.server.create(aModelCanary(plan));
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  expect(warnings(lab)).toEqual([]);
});

it('I8: the wait for an absent target writes nothing but the event', async () => {
  const [missing] = absences;
  const lab = await withoutIt(missing as Absence);
  await lab.pass(5_000);
  const before = lab.writes.length;
  await lab.pass(40_000);
  expect(lab.writes.slice(before).map(({ ref }) => ref.kind)).toEqual(['Event']);
});
