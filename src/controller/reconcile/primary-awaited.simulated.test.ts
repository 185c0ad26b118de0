import { expect, it, vi } from 'vitest';
import { canaryRef, primaryRef } from '../../../test/fakes/model/lab.ts';
import { imageOf, promoted } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';

vi.setConfig({ testTimeout: 60_000 });

it('E80, DF11: a release waits for a primary without pods, the condition says so, and skipAnalysis makes the new revision its remedy', async () => {
  const lab = await promoted();
  const status = raw(lab.server.find(primaryRef))?.status;
  lab.watched = false;
  lab.server.patch(primaryRef, { status: { ...status, availableReplicas: 0, readyReplicas: 0 } }, 'status');
  lab.push('3');
  await lab.pass(900_000);
  expect([lab.phase(), raw(lab.canary())?.status?.canaryWeight, imageOf(lab)]).toEqual(['Progressing', 0, '2']);
  expect(raw(lab.canary())?.status?.conditions[0].message).toMatch(/Stays at 0%: the primary does not serve.*set spec\.skipAnalysis: true/);
  lab.server.patch(canaryRef, { spec: { skipAnalysis: true } });
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded' && imageOf(lab) === '3', 300_000)).toBe(true);
});
