import { expect, it, vi } from 'vitest';
import { aModelCanary, canaryRef, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { requestAnnotation } from '../../api/names.ts';
import { writeRequest } from '../../api/verb-request.ts';
import { trackingAnnotation } from '../../workloads/configs/tracking.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 120_000 });

const secretRef = { apiVersion: 'v1', kind: 'Secret', name: 'db', namespace: NAMESPACE };
/** The label of External Secrets. The garbage collector would delete a Secret whose owner does not exist. */
const labels = { 'reconcile.external-secrets.io/managed': 'true' };
const dataOf = (password: string) => ({ password: Buffer.from(password).toString('base64') });

function aSecret(password: string, metadata: Partial<KubeObject['metadata']>): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'db', namespace: NAMESPACE, ...metadata },
    type: 'Opaque',
    data: dataOf(password),
  };
}

/** An application that is initialized, whose pods read the Secret `db`. */
async function reading(secret: KubeObject): Promise<ModelLab> {
  const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  lab.server.create(secret);
  await lab.application();
  push(lab, '1');
  await lab.pass(60_000);
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }));
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized' && stepOf(lab) === 'resting', 120_000)).toBe(true);
  return lab;
}

/** Another version, that reads the Secret too. */
function push(lab: ModelLab, version: string): void {
  const [container] = raw(lab.server.find(targetRef))?.spec.template.spec.containers ?? [];
  const containers = [{ ...container, image: version, envFrom: [{ secretRef: { name: 'db' } }] }];
  lab.server.patch(targetRef, { spec: { template: { spec: { containers } } } });
}

const stepOf = (lab: ModelLab): string => raw(lab.canary())?.status?.release?.step ?? '';
const runOf = (lab: ModelLab): number => raw(lab.canary())?.status?.release?.run ?? -1;
const ends = (lab: ModelLab, phase: string) => lab.passUntil(() => lab.phase() === phase && stepOf(lab) === 'resting', 900_000);
const primaryReads = (lab: ModelLab): string =>
  raw(lab.server.find(primaryRef))?.spec.template.spec.containers[0].envFrom[0].secretRef.name;
const rotate = (lab: ModelLab, password: string) => lab.server.patch(secretRef, { data: dataOf(password) });

it.each([
  { what: 'that External Secrets writes', metadata: { labels }, isLive: true },
  { what: 'without an owner', metadata: {}, isLive: false },
  { what: 'without an owner, annotated disabled', metadata: { annotations: { [trackingAnnotation]: 'disabled' } }, isLive: true },
  {
    what: 'that External Secrets writes, annotated enabled',
    metadata: { labels, annotations: { [trackingAnnotation]: 'enabled' } },
    isLive: false,
  },
])('E130: a Secret $what, rotated, is read live: $isLive', async ({ metadata, isLive }) => {
  const lab = await reading(aSecret('old', metadata));
  expect(primaryReads(lab)).toMatch(isLive ? /^db$/ : /^db-primary-[0-9a-f]{10}$/);
  const before = runOf(lab);
  rotate(lab, 'new');
  if (isLive) await lab.pass(120_000);
  else expect(await ends(lab, 'Succeeded')).toBe(true);
  expect(runOf(lab) - before).toBe(isLive ? 0 : 1);
  expect(primaryReads(lab)).toMatch(isLive ? /^db$/ : /^db-primary-[0-9a-f]{10}$/);
});

it('E131: a writer that appears, or an annotation that is edited, starts no release; the next promotion reads the Secret live', async () => {
  const lab = await reading(aSecret('old', {}));
  const before = runOf(lab);
  lab.server.patch(secretRef, { metadata: { labels } });
  await lab.pass(120_000);
  lab.server.patch(secretRef, { metadata: { annotations: { [trackingAnnotation]: 'enabled' } } });
  await lab.pass(120_000);
  lab.server.patch(secretRef, { metadata: { annotations: { [trackingAnnotation]: 'disabled' } } });
  await lab.pass(120_000);
  expect(runOf(lab)).toBe(before);
  push(lab, '2');
  expect(await ends(lab, 'Succeeded')).toBe(true);
  expect([primaryReads(lab), runOf(lab)]).toEqual(['db', before + 1]);
});

const copyOf = (lab: ModelLab) => lab.server.find({ ...secretRef, name: primaryReads(lab) });
const holds = (lab: ModelLab, password: string) => raw(copyOf(lab))?.data?.password === dataOf(password).password;

it('E132: the copy that a primary reads of a Secret that is live by now follows it, also while Serin is down, and the primary is not written', async () => {
  const lab = await reading(aSecret('old', {}));
  const [copy, { generation }] = [primaryReads(lab), lab.server.find(primaryRef)?.metadata ?? {}];
  expect([copy, holds(lab, 'old')]).toEqual([expect.stringMatching(/^db-primary-/), true]);
  lab.server.patch(secretRef, { metadata: { labels } });
  rotate(lab, 'new');
  await lab.pass(10_000);
  expect(holds(lab, 'new')).toBe(true);
  lab.kill();
  rotate(lab, 'newer');
  lab.start();
  await lab.pass(10_000);
  expect(holds(lab, 'newer')).toBe(true);
  lab.server.delete({ ...secretRef, name: copy });
  lab.kill();
  lab.start();
  await lab.pass(10_000);
  expect(holds(lab, 'newer'), 'a kill between delete and create').toBe(true);
  expect([primaryReads(lab), lab.server.find(primaryRef)?.metadata.generation, runOf(lab)]).toEqual([copy, generation, 0]);
  const writes = lab.writes.length;
  await lab.pass(600_000);
  expect(lab.writes.length).toBe(writes);
  push(lab, '2');
  expect(await ends(lab, 'Succeeded')).toBe(true);
  expect(primaryReads(lab)).toBe('db');
});

it('E132: a promotion that fails after a rotation puts back a template whose copy holds the credentials of now', async () => {
  const lab = await reading(aSecret('old', {}));
  const copy = primaryReads(lab);
  lab.server.patch(secretRef, { metadata: { labels } });
  let isStuck = false;
  lab.nodes.aroundRead = (read) => void (isStuck || read());
  push(lab, '2');
  expect(await lab.passUntil(() => lab.phase() === 'Promoting', 600_000)).toBe(true);
  isStuck = true;
  expect(await lab.passUntil(() => primaryReads(lab) === 'db', 60_000)).toBe(true);
  rotate(lab, 'new');
  // The deadline of its rollout passes.
  expect(await lab.passUntil(() => primaryReads(lab) === copy, 1_800_000)).toBe(true);
  expect(holds(lab, 'new')).toBe(true);
  isStuck = false;
  expect(await ends(lab, 'Failed')).toBe(true);
  rotate(lab, 'newer');
  await lab.pass(10_000);
  expect([holds(lab, 'newer'), lab.lost]).toEqual([true, []]);
});

it('E130: an undo after a rotation brings no credentials back', async () => {
  const lab = await reading(aSecret('old', { labels }));
  push(lab, '2');
  expect(await ends(lab, 'Succeeded')).toBe(true);
  rotate(lab, 'new');
  await lab.pass(60_000);
  const text = writeRequest({ verb: 'undo', id: 'u1', by: 'ann@example.org', atMs: lab.clock.nowMs() });
  lab.server.patch(canaryRef, { metadata: { annotations: { [requestAnnotation]: text } } });
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 120_000)).toBe(true);
  expect(await ends(lab, 'Succeeded')).toBe(true);
  const { image } = raw(lab.server.find(primaryRef)).spec.template.spec.containers[0];
  expect([image, primaryReads(lab), runOf(lab)]).toEqual(['1', 'db', 2]);
});

it('E133: a primary that is restarted by hand at rest is left so, and takes the next release', async () => {
  const lab = await reading(aSecret('old', { labels }));
  const restartedAt = { 'kubectl.kubernetes.io/restartedAt': '2026-11-28T09:00:00Z' };
  lab.server.patch(primaryRef, { spec: { template: { metadata: { annotations: restartedAt } } } });
  await lab.pass(120_000);
  expect(raw(lab.server.find(primaryRef)).spec.template.metadata.annotations).toMatchObject(restartedAt);
  expect(runOf(lab)).toBe(0);
  push(lab, '2');
  expect(await ends(lab, 'Succeeded')).toBe(true);
  expect([runOf(lab), raw(lab.server.find(primaryRef)).spec.template.spec.containers[0].image, lab.lost]).toEqual([1, '2', []]);
});
