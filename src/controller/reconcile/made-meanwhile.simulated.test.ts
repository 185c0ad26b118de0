import { describe, expect, it, vi } from 'vitest';
import type { SentWrite } from '../../../test/fakes/model/client.ts';
import { APP, canaryRef, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { canaryOf, type Life, labOf } from '../../../test/fakes/model/life.ts';
import { anHpa, hpaRef, refTo } from '../../../test/fakes/model/scaled.ts';
import { type KubeObject, type ObjectRef, refKey, refOf } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 120_000 });

/** Records of our own, whose names no user gives. */
const RECORDS = ['Event', 'Lease', 'ControllerRevision'];
/** Besides, rules that are looked for once, at the arrival: a later one of that name counts as an edit of ours. */
const NOT_PLAYED = [...RECORDS, 'DestinationRule'];
const USERS = 'made-by';

const lives: Life[] = (['istio', 'smi:v1alpha2', 'kubernetes'] as const).flatMap((provider) =>
  [true, false].map((hasService) => ({ seed: 5, provider, delayMs: 2_000, plan: 0, hasService })),
);

/** From the arrival to the end of a release. `before` is called before each write that makes an object, or could: `exists` tells if there is one. */
async function played(
  life: Life,
  before: (write: SentWrite, lab: ModelLab, exists: boolean) => void,
  route?: KubeObject,
): Promise<ModelLab> {
  const { lab } = labOf(life);
  await lab.application(life.hasService);
  lab.watched = false;
  lab.server.create(anHpa());
  if (route) lab.server.create(route);
  lab.server.create(canaryOf(life, refTo(hpaRef)));
  lab.refuse = (write) => {
    const makes = write.verb === 'create' || write.verb === 'apply';
    if (makes && !NOT_PLAYED.includes(write.ref.kind)) before(write, lab, lab.server.find(write.ref) !== undefined);
  };
  lab.start();
  await lab.passUntil(() => lab.phase() === 'Initialized', 300_000);
  lab.push('2');
  await lab.passUntil(() => ['Succeeded', 'Failed'].includes(lab.phase() ?? ''), 600_000);
  return lab;
}

/** A route with the content of ours, which leads to Services of ours, counts as left by an earlier Serin: a user's leads elsewhere. */
const OWN_SPECS: Readonly<Record<string, object>> = {
  TrafficSplit: { service: 'elsewhere', backends: [{ service: 'elsewhere', weight: 100 }] },
};

/** The object of that write, as a user would make it. */
function usersOwn({ ref, body }: SentWrite): KubeObject {
  const { metadata, ...content } = body as KubeObject;
  const { name, namespace, labels } = metadata;
  const own = { name, ...(namespace && { namespace }), ...(labels && { labels }), annotations: { [USERS]: 'a user' } };
  const spec = OWN_SPECS[ref.kind];
  return { ...content, ...(spec && { spec }), metadata: own };
}

describe.each(lives)('$provider, apex Service of the user: $hasService', (life) => {
  it('I9: an object that its user makes just before Serin stays the user’s, of any kind', async () => {
    const made = new Map<string, ObjectRef>();
    await played(life, ({ ref }, _, exists) => void (exists || made.set(refKey(ref), ref)));
    expect(made.size).toBeGreaterThan(3);
    const taken: string[] = [];
    for (const [key, ref] of made) {
      let uid: string | undefined;
      const lab = await played(life, (write, { server }, exists) => {
        if (uid === undefined && !exists && refKey(write.ref) === key) uid = server.create(usersOwn(write)).metadata.uid;
      });
      lab.server.delete(canaryRef);
      await lab.pass(300_000);
      const { annotations, ownerReferences, uid: last } = lab.server.find(ref)?.metadata ?? {};
      if (last !== uid || uid === undefined || annotations?.[USERS] === undefined || annotations?.[ownerAnnotation] || ownerReferences)
        taken.push(`${key}: ${JSON.stringify([last === uid, annotations, ownerReferences])}`);
    }
    expect(taken).toEqual([]);
  });
});

// Of the routes that a model proxy knows, only this one is written whole, although it was found in place.
it('a TrafficSplit that its user deletes just before Serin writes it is made again as Serin’s, and goes with the Canary', async () => {
  const route: KubeObject = {
    ...{ apiVersion: 'split.smi-spec.io/v1alpha2', kind: 'TrafficSplit', metadata: { name: APP, namespace: NAMESPACE } },
    spec: { service: APP, backends: [{ service: APP, weight: 100 }] },
  };
  const ref = refOf(route);
  let writes = 0;
  const isOver = (write: SentWrite, exists: boolean) => exists && refKey(write.ref) === refKey(ref);
  const life = { seed: 5, provider: 'smi:v1alpha2', delayMs: 2_000, plan: 0, hasService: true } as const;
  const counts = (write: SentWrite, _: ModelLab, exists: boolean) => {
    if (isOver(write, exists)) writes += 1;
  };
  await played(life, counts, route);
  expect(writes).toBeGreaterThan(0);
  const left: string[] = [];
  for (let nth = 1; nth <= writes; nth += 1) {
    let count = 0;
    const onWrite = (write: SentWrite, { server }: ModelLab, exists: boolean) => {
      if (!isOver(write, exists)) return;
      count += 1;
      if (count === nth) server.delete(ref);
    };
    const lab = await played(life, onWrite, route);
    const mark = lab.server.find(ref)?.metadata.annotations?.[ownerAnnotation];
    lab.server.delete(canaryRef);
    await lab.pass(300_000);
    const last = lab.server.find(ref);
    if (mark === undefined || last !== undefined) left.push(`deleted before write ${nth} of ${writes}: ${JSON.stringify([mark, last])}`);
  }
  expect(left).toEqual([]);
});

describe.each(lives)('$provider, apex Service of the user: $hasService; what Serin deletes', (life) => {
  /** To the end of the Canary, which has had a scaler and another provider. `before` is called before each deletion of an object that users could make. */
  async function ended(before: (write: SentWrite, lab: ModelLab) => void): Promise<ModelLab> {
    const lab = await played(life, () => undefined);
    const { refuse } = lab;
    lab.refuse = (write) => {
      refuse?.(write);
      if (write.verb === 'delete' && !RECORDS.includes(write.ref.kind)) before(write, lab);
    };
    lab.server.patch(canaryRef, { spec: { autoscalerRef: null } });
    await lab.pass(60_000);
    lab.server.patch(canaryRef, { spec: { provider: life.provider === 'kubernetes' ? 'istio' : 'kubernetes' } });
    await lab.pass(60_000);
    lab.server.delete(canaryRef);
    await lab.pass(300_000);
    return lab;
  }

  it('I9, DF858: an object that its user makes in the place of an object that Serin is about to delete stays', async () => {
    const deleted = new Map<string, ObjectRef>();
    await ended(({ ref }) => void deleted.set(refKey(ref), ref));
    expect(deleted.size).toBeGreaterThan(0);
    const gone: string[] = [];
    for (const [key, ref] of deleted) {
      let uid: string | undefined;
      const lab = await ended((write, { server }) => {
        const found = uid === undefined && refKey(write.ref) === key ? server.find(ref) : undefined;
        if (found === undefined) return;
        server.delete(ref);
        ({ uid } = server.create(usersOwn({ ...write, body: found })).metadata);
      });
      if (uid === undefined || lab.server.find(ref)?.metadata.uid !== uid) gone.push(key);
    }
    expect(gone).toEqual([]);
  });
});
