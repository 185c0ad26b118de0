import { expect, it } from 'vitest';
import { Backup, restoreInto } from '../../../test/fakes/model/backup.ts';
import { APP, aDeployment, aModelCanary, canaryRef, type ModelLab, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { deleteCanary, initializedLab, ordersPlan, release } from '../../../test/fakes/model/released.ts';
import { GRACE_MS, imageOf, left, serviceRef } from '../../../test/fakes/model/uninstalling.ts';

const BAD = 'bad-2';
/** For Serin to notice, and its writes. */
const NOTICED_MS = 30_000;

/** All objects of the namespace are lost, and restored as Velero does. Serin runs all the time. */
async function restoreAll(lab: ModelLab): Promise<void> {
  const backup = Backup.of(lab.server);
  lab.watched = false;
  const restore = { lost: 'all', keeps: 'neither', order: 'by name', gapMs: 300 } as const;
  expect(await restoreInto(lab.server, backup, restore, (ms) => lab.pass(ms))).toBe(true);
}

/** Its target holds a version that failed, and users have the previous one from a primary that is kept. */
async function keptLab(): Promise<ModelLab> {
  const lab = await initializedLab({}, aModelCanary({ iterations: 3, metrics: ordersPlan.metrics }, { provider: 'kubernetes' }));
  lab.externalMetric = () => ({ value: imageOf(lab, targetRef) === BAD ? 10 : 1, afterMs: 0 });
  await release(lab, BAD, 'Failed');
  await deleteCanary(lab);
  expect(lab.answering()).toEqual([primaryRef.name]);
  return lab;
}

it('I19: a kept primary that a backup brought back is guarded without a restart of Serin', async () => {
  const lab = await keptLab();
  await restoreAll(lab);
  await lab.pass(NOTICED_MS);
  const service = lab.server.find(serviceRef);
  if (service) lab.server.putAs('a-gitops-tool', { ...service, spec: { ...(service.spec as object), selector: { app: APP } } });
  await lab.pass(10_000);
  expect(lab.answering()).toEqual([primaryRef.name]);
});

it('I7: a kept primary that a backup brought back ends with a push to its target', async () => {
  const lab = await keptLab();
  await restoreAll(lab);
  await lab.pass(NOTICED_MS);
  lab.push('good-3');
  await lab.pass(120_000);
  expect(lab.answering()).toEqual([APP]);
  expect(lab.server.find(primaryRef)).toBeUndefined();
});

it.each([{ isBack: false }, { isBack: true }])(
  'I7: an uninstall whose remains a backup brought back goes on without a restart of Serin; its target comes back: $isBack',
  async ({ isBack }) => {
    const lab = await initializedLab();
    lab.watched = false;
    lab.server.delete(targetRef);
    lab.server.delete(canaryRef);
    await lab.pass(10_000);
    await restoreAll(lab);
    await lab.pass(NOTICED_MS);
    if (isBack) lab.server.create(aDeployment('good-3'));
    await lab.pass(GRACE_MS + NOTICED_MS);
    expect(lab.answering()).toEqual([isBack ? APP : expect.stringContaining('lost')]);
    expect(left(lab).filter((one) => /Deployment|Revision/.test(one))).toEqual(isBack ? [`Deployment/${APP}`] : []);
  },
);
