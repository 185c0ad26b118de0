import { expect, it } from 'vitest';
import { Backup, type Restore, restoreInto } from '../../../test/fakes/model/backup.ts';
import {
  APP,
  aDeployment,
  aModelCanary,
  canaryRef,
  type ModelLab,
  NAMESPACE,
  primaryRef,
  targetRef,
} from '../../../test/fakes/model/lab.ts';
import { deleteCanary, initializedLab, ordersPlan } from '../../../test/fakes/model/released.ts';
import { imageOf, left } from '../../../test/fakes/model/uninstalling.ts';

const OTHER = 'renamed';
const ANCHOR = `ControllerRevision/${APP}-serin-anchor`;

/** Target and Canary were deleted, and a Canary of another name waits for the target. Serin runs while a backup of it is restored, and starts again. */
async function restoredForAnother(how: Pick<Restore, 'keeps' | 'order'>): Promise<ModelLab> {
  const lab = await initializedLab();
  lab.watched = false;
  lab.server.delete(targetRef);
  lab.server.delete(canaryRef);
  await lab.pass(10_000);
  lab.server.create({ ...aModelCanary(ordersPlan), metadata: { name: OTHER, namespace: NAMESPACE } });
  await lab.pass(10_000);
  const backup = Backup.of(lab.server);
  expect(await restoreInto(lab.server, backup, { lost: 'all', gapMs: 100, ...how }, (ms) => lab.pass(ms))).toBe(true);
  await lab.pass(10_000);
  expect(left(lab)).toContain(ANCHOR);
  lab.kill();
  lab.start();
  await lab.pass(30_000);
  return lab;
}

it.each<Pick<Restore, 'keeps' | 'order'>>([
  { keeps: 'neither', order: 'by name' },
  { keeps: 'neither', order: 'Canary last' },
  { keeps: 'status', order: 'by name' },
  { keeps: 'status', order: 'target first' },
])(
  'I19: beside the anchor of a deleted Canary that a backup brought back, the Canary of another name releases the target: %o',
  async (how) => {
    const lab = await restoredForAnother(how);
    expect(lab.answering()).toEqual([primaryRef.name]);
    const promoted = imageOf(lab);
    lab.server.create(aDeployment('good-2'));
    while (imageOf(lab) === promoted) {
      expect(lab.answering()).toContain(primaryRef.name);
      await lab.pass(250);
    }
    expect(lab.phase(OTHER)).toBe('Promoting');
    expect(await lab.passUntil(() => lab.phase(OTHER) === 'Succeeded', 60_000)).toBe(true);
    expect(left(lab)).not.toContain(ANCHOR);
    await deleteCanary(lab, OTHER);
    expect(lab.answering()).toEqual([APP]);
    expect(lab.server.find(primaryRef)).toBeUndefined();
  },
);

it('I7: a Canary whose target was edited to that of a deleted Canary gets nothing of its application, since the edit is refused', async () => {
  const lab = await initializedLab();
  const other = { ...targetRef, name: 'shop' };
  lab.server.create(aDeployment('1', other.name));
  lab.server.create(aModelCanary(ordersPlan, {}, other.name));
  expect(await lab.passUntil(() => lab.phase(other.name) === 'Initialized', 300_000)).toBe(true);
  lab.server.patch({ ...canaryRef, name: other.name }, { spec: { targetRef: { name: APP } } });
  await lab.pass(10_000);
  await deleteCanary(lab);
  expect(lab.answering()).toEqual([APP]);
  expect([lab.server.find(primaryRef), lab.server.find({ ...primaryRef, name: `${other.name}-primary` })]).toEqual([
    undefined,
    expect.anything(),
  ]);
});
