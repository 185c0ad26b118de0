import { expect, it, vi } from 'vitest';
import { initialized } from '../../../test/fakes/model/damage.ts';
import { type ModelLab, targetRef } from '../../../test/fakes/model/lab.ts';
import { raw } from '../../../test/fakes/raw.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

/** Idle; from now on the controller of Deployments is slow. */
async function slowlyObserved(): Promise<ModelLab> {
  const lab = await initialized();
  await lab.pass(60_000);
  lab.nodes.observesAfterMs = 20_000;
  return lab;
}
const release = (lab: ModelLab) => raw(lab.canary())?.status.release;

it('Revisions: another image begins a release before its controller has observed it, and the count is recorded when it is there', async () => {
  const lab = await slowlyObserved();
  const before = release(lab);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 5_000)).toBe(true);
  expect(release(lab)).toMatchObject({ observedGeneration: before.observedGeneration + 1 });
  expect(release(lab).observedRollout).toBeUndefined();
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 600_000)).toBe(true);
  await lab.pass(60_000);
  expect(release(lab).observedRollout).toBe(String(Number(before.observedRollout) + 1));
  expect(release(lab).run).toBe(before.run + 1);
  expect(lab.lost).toEqual([]);
  lab.close();
});

it('Revisions: a template with the same images waits until its controller has counted it', async () => {
  const lab = await slowlyObserved();
  const env = [{ name: 'COLOR', value: 'blue' }];
  const [container] = raw(lab.server.find(targetRef)).spec.template.spec.containers;
  lab.server.patch(targetRef, { spec: { template: { spec: { containers: [{ ...container, env }] } } } });
  await lab.pass(15_000);
  expect(lab.phase()).toBe('Initialized');
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 10_000)).toBe(true);
  lab.close();
});
