import { describe, expect, it, vi } from 'vitest';
import { ended, plan, replicas } from '../../../test/fakes/model/damage.ts';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { aDeployment, aModelCanary, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { BROKEN_IMAGE } from '../../../test/fakes/model/nodes.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const asked = (lab: ModelLab) => lab.writes.filter(({ ref, subresource }) => ref.name === targetRef.name && subresource === 'scale').length;
const warned = (lab: ModelLab) =>
  (raw(lab.canary())?.status?.conditions ?? []).filter(({ type }: { type: string }) => type === 'TargetScaledUp' || type === 'Contested');

/** An idle Canary, whose target Serin has scaled to zero; `pods` is what the application began with. */
async function resting(phase: 'Initialized' | 'Succeeded' | 'Failed', pods = 1, readsConfig = false): Promise<ModelLab> {
  const lab = await labWithApp();
  if (pods !== 1) lab.server.patch(targetRef, { spec: { replicas: pods } });
  if (readsConfig) {
    lab.server.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: NAMESPACE }, data: { a: '1' } });
    changeContainer(lab, { envFrom: [{ configMapRef: { name: 'settings' } }] });
  }
  await lab.pass(30_000);
  await initialize(lab, aModelCanary(plan));
  if (phase !== 'Initialized') {
    lab.push(phase === 'Failed' ? BROKEN_IMAGE : '2');
    await ended(lab);
    // A broken pod never gets ready: the next version in Git is a sound one.
    if (phase === 'Failed') await lab.pass(30_000);
  }
  expect(await lab.passUntil(() => replicas(lab) === 0, 60_000)).toBe(true);
  await lab.pass(30_000);
  expect(lab.phase()).toBe(phase);
  return lab;
}

function changeContainer(lab: ModelLab, change: object): void {
  const [container] = raw(lab.server.find(targetRef))?.spec.template.spec.containers ?? [];
  lab.server.patch(targetRef, { spec: { template: { spec: { containers: [{ ...container, ...change }] } } } });
}

const scaleByGit = (lab: ModelLab, count: number) => lab.server.patch(targetRef, { spec: { replicas: count } });

describe('pods that another writer gives a resting target, in virtual time', () => {
  it.each(['Initialized', 'Succeeded', 'Failed'] as const)('E90: in %s they stay, with one condition and one event', async (phase) => {
    const lab = await resting(phase);
    const [before, scaled] = [lab.writes.length, asked(lab)];
    for (let sync = 0; sync < 5; sync += 1) {
      scaleByGit(lab, 1);
      await lab.pass(60_000);
    }
    expect([replicas(lab), asked(lab), lab.phase(), lab.lost]).toEqual([1, scaled, phase, []]);
    expect(warned(lab)).toMatchObject([{ type: 'TargetScaledUp', status: 'True' }]);
    expect(eventsOf(lab, 'TargetScaledUp')).toHaveLength(1);
    // Its generation and its condition.
    expect(lab.writes.slice(before).filter(({ subresource }) => subresource === 'status').length).toBeLessThanOrEqual(2);
    lab.kill();
    lab.start();
    await lab.pass(600_000);
    expect([lab.writes, replicas(lab)]).toEqual([[], 1]);
    scaleByGit(lab, 0);
    await lab.pass(60_000);
    expect([warned(lab), replicas(lab)]).toEqual([[], 0]);
  });

  it('E90, I17: neither the primary nor a Service that follows notices them', async () => {
    const lab = await resting('Initialized', 3);
    const admin = { apiVersion: 'v1', kind: 'Service', name: 'admin', namespace: NAMESPACE };
    const spec = { selector: { app: targetRef.name }, ports: [{ port: 81, targetPort: 'http' }] };
    lab.server.create({
      apiVersion: admin.apiVersion,
      kind: admin.kind,
      metadata: { name: admin.name, namespace: NAMESPACE },
      spec,
    } as KubeObject);
    const seen = () => [raw(lab.server.find(admin))?.spec.selector.app, raw(lab.server.find(primaryRef))?.spec, replicas(lab, primaryRef)];
    expect(await lab.passUntil(() => seen()[0] === primaryRef.name, 60_000)).toBe(true);
    const before = structuredClone(seen());
    const found: unknown[] = [];
    for (let sync = 0; sync < 20; sync += 1) {
      scaleByGit(lab, 2);
      await lab.pass(3_000);
      found.push(seen());
    }
    expect(found).toEqual(found.map(() => before));
    expect([replicas(lab), lab.lost]).toEqual([2, []]);
  });

  it('E90: the next release is a release like any other, and ends with the target at zero', async () => {
    const lab = await resting('Initialized');
    scaleByGit(lab, 1);
    await lab.pass(60_000);
    lab.push('2');
    await ended(lab);
    await lab.pass(60_000);
    expect([lab.phase(), replicas(lab), warned(lab), lab.lost]).toEqual(['Succeeded', 0, [], []]);
    expect(raw(lab.server.find(primaryRef))?.spec.template.spec.containers[0].image).toBe('2');
  });

  it.each([
    { pods: 1, readsConfig: false },
    { pods: 5, readsConfig: false },
    { pods: 1, readsConfig: true },
    { pods: 5, readsConfig: true },
  ])(
    'E91: a release runs with the $pods pods that another writer requested, as its primary does (reads a config: $readsConfig)',
    async (asks) => {
      const { pods, readsConfig } = asks;
      const lab = await resting('Initialized', 3, readsConfig);
      scaleByGit(lab, pods);
      await lab.pass(60_000);
      const scaled = asked(lab);
      changeContainer(lab, { image: '2' });
      expect(await lab.passUntil(() => lab.phase() === 'Promoting', 120_000)).toBe(true);
      // Pods that might have read another config are stopped, and started again (E56).
      expect([replicas(lab), asked(lab) - scaled]).toEqual([pods, readsConfig ? 2 : 0]);
      await ended(lab);
      await lab.pass(60_000);
      expect([lab.phase(), replicas(lab), replicas(lab, primaryRef), lab.lost]).toEqual(['Succeeded', 0, pods, []]);
    },
  );

  it('E90: a target that was deleted and made again is scaled to zero like the previous target', async () => {
    const lab = await resting('Initialized');
    lab.server.delete(targetRef);
    await lab.pass(10_000);
    lab.server.create(aDeployment('1'));
    await lab.pass(60_000);
    expect([replicas(lab), warned(lab), lab.lost]).toEqual([0, [], []]);
    scaleByGit(lab, 1);
    await lab.pass(60_000);
    expect(replicas(lab)).toBe(1);
  });
});
