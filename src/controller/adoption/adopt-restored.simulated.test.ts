import { expect, it } from 'vitest';
import { Backup, type Restore, restoreInto } from '../../../test/fakes/model/backup.ts';
import { APP, aDeployment, aModelCanary, canaryRef, type ModelLab, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { initializedLab, release } from '../../../test/fakes/model/released.ts';
import { imageOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { ownerAnnotation } from '../../api/names.ts';

const BAD = 'bad-2';

/** Its target holds a version that failed. Users have the previous version. */
async function failedRelease(): Promise<ModelLab> {
  const lab = await initializedLab();
  lab.externalMetric = () => ({ value: imageOf(lab, targetRef) === BAD ? 10 : 1, afterMs: 0 });
  await release(lab, BAD, 'Failed');
  return lab;
}

async function restored(lab: ModelLab, how: Partial<Restore>): Promise<void> {
  const backup = Backup.of(lab.server);
  lab.watched = false;
  const restore: Restore = { lost: 'all', keeps: 'neither', order: 'by name', gapMs: 300, ...how };
  expect(await restoreInto(lab.server, backup, restore, (ms) => lab.pass(ms))).toBe(true);
}

const blockersOf = (lab: ModelLab): { code: string }[] => raw(lab.canary())?.status?.release?.blockers ?? [];

it.each<Partial<Restore>>([
  { order: 'by name' },
  { order: 'Canary last' },
  { order: 'target first' },
  { order: 'by name', keeps: 'status' },
  { order: 'Canary last', keeps: 'status' },
  { order: 'target first', keeps: 'status' },
])('I19: a Canary that a backup brought back goes on with its objects, and promotes nothing: %o', async (how) => {
  const lab = await failedRelease();
  const promoted = imageOf(lab);
  await restored(lab, how);
  await lab.pass(120_000);
  expect(blockersOf(lab)).toEqual([]);
  expect([imageOf(lab), imageOf(lab, targetRef)]).toEqual([promoted, BAD]);
  expect(lab.answering()).toEqual([`${APP}-primary`]);
  await release(lab, 'good-3', 'Succeeded');
  expect(imageOf(lab, primaryRef)).toBe('good-3');
});

it('I7: objects that a backup brought back go with their Canary as before', async () => {
  const lab = await failedRelease();
  await restored(lab, {});
  await lab.pass(120_000);
  await release(lab, 'good-3', 'Succeeded');
  lab.server.delete(canaryRef);
  await lab.pass(60_000);
  expect(lab.answering()).toEqual([APP]);
  expect(lab.server.find(primaryRef)).toBeUndefined();
});

it('I16: an object that is marked for another Canary which lives is not taken', async () => {
  const lab = await initializedLab();
  const other = 'shop';
  const primary = { ...primaryRef, name: `${other}-primary` };
  const made = aDeployment('good-1', primary.name);
  const mark = { [ownerAnnotation]: lab.canary()?.metadata.uid ?? '' };
  lab.server.create({ ...made, metadata: { ...made.metadata, annotations: mark } });
  lab.server.create(aDeployment('good-1', other));
  lab.server.create(aModelCanary({ stepWeight: 50 }, {}, other));
  await lab.pass(30_000);
  expect(raw(lab.canary(other)).status.release.blockers).toMatchObject([{ code: 'NameTaken', object: { name: primary.name } }]);
  expect(lab.server.find(primary)?.metadata.annotations).toMatchObject(mark);
});
