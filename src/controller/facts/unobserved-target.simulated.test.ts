import { describe, expect, it, vi } from 'vitest';
import { initialized } from '../../../test/fakes/model/damage.ts';
import { type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
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

it('Revisions: another image begins a release before its controller has observed it, and the count is recorded once it exists', async () => {
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
});

describe('E56: an idle target whose pods read a config', () => {
  const data = { COLOR: 'blue' };
  /** A new version, which still reads the config. */
  const push = (lab: ModelLab, version: string, spec: object = {}) => {
    const [container] = raw(lab.server.find(targetRef)).spec.template.spec.containers;
    const [image] = container.image.split(':');
    const containers = [{ ...container, image: `${image}:${version}`, envFrom: [{ configMapRef: { name: 'settings' } }] }];
    lab.server.patch(targetRef, { spec: { ...spec, template: { spec: { containers } } } });
  };
  const idle = async () => {
    const lab = await initialized({}, (before) => {
      before.server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: NAMESPACE }, data });
      push(before, '1');
    });
    await lab.pass(60_000);
    expect(Object.keys(release(lab).configs)).toEqual(['configmap/settings']);
    lab.nodes.observesAfterMs = 20_000;
    return lab;
  };

  it('begins its release before its controller has observed it, since it has had no pods all the time', async () => {
    const lab = await idle();
    push(lab, '2');
    expect(await lab.passUntil(() => lab.phase() === 'Progressing', 5_000)).toBe(true);
  });

  it('waits where the target was scaled up meanwhile, because its controller could have started pods', async () => {
    const lab = await idle();
    lab.server.patch(targetRef, { spec: { replicas: 1 } });
    await lab.pass(1_000);
    push(lab, '2', { replicas: 0 });
    await lab.pass(10_000);
    expect(lab.phase()).toBe('Initialized');
    expect(await lab.passUntil(() => lab.phase() === 'Progressing', 60_000)).toBe(true);
  });

  it('waits after a start, which has seen neither the last change nor any scaling', async () => {
    const lab = await idle();
    lab.kill();
    push(lab, '2');
    lab.start();
    await lab.pass(10_000);
    expect(lab.phase()).toBe('Initialized');
    expect(await lab.passUntil(() => lab.phase() === 'Progressing', 60_000)).toBe(true);
  });
});

it('Revisions: a template with the same images waits until its controller has counted it', async () => {
  const lab = await slowlyObserved();
  const env = [{ name: 'COLOR', value: 'blue' }];
  const [container] = raw(lab.server.find(targetRef)).spec.template.spec.containers;
  lab.server.patch(targetRef, { spec: { template: { spec: { containers: [{ ...container, env }] } } } });
  await lab.pass(15_000);
  expect(lab.phase()).toBe('Initialized');
  expect(await lab.passUntil(() => lab.phase() === 'Progressing', 10_000)).toBe(true);
});
