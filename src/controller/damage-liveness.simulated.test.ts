import { describe, expect, it, vi } from 'vitest';
import { anchorRef, ended, initialized, plan, releasing, replicas, routeRef, weightOf } from '../../test/fakes/model/damage.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, primaryRef, targetRef } from '../../test/fakes/model/lab.ts';
import { labWithApp } from '../../test/fakes/model/life.ts';
import { BROKEN_IMAGE } from '../../test/fakes/model/nodes.ts';
import { raw } from '../../test/fakes/raw.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { ApiError } from '../kube/errors.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

/** Stores an object unmodified, as an older CRD without this schema had let it in. */
function smuggle(lab: ModelLab, object: KubeObject): void {
  const resource = lab.server.resource(object.apiVersion, object.kind);
  lab.server.api.store.put(resource.storeKey, {
    ...object,
    metadata: { ...object.metadata, uid: `uid-${object.metadata.name}`, generation: 1 },
  });
}

describe('damage that Flagger does: liveness', () => {
  it('a write that fails once is tried again, the first one of a Canary too', async () => {
    const lab = await labWithApp();
    const failed = new Set<string>();
    lab.refuse = ({ ref, verb, subresource }) => {
      const what = `${verb} ${ref.kind} ${subresource}`;
      if (failed.has(what)) return;
      failed.add(what);
      throw new ApiError('etcd is busy', { status: 500, reason: 'InternalError' });
    };
    lab.server.create(aModelCanary(plan));
    lab.start();
    await lab.passUntil(() => lab.phase() === 'Initialized', 300_000);
    lab.push('2');
    await ended(lab);
    expect([lab.phase(), failed.size > 5, lab.lost]).toEqual(['Succeeded', true, []]);
  });

  it('a Canary that is gone leaves no timer and no write behind, and an edited interval one tick at a time', async () => {
    const lab = await releasing();
    for (const interval of ['11s', '12s', '13s']) lab.server.patch(canaryRef, { spec: { analysis: { interval } } });
    const before = lab.writes.length;
    await lab.pass(12_000);
    const records = lab.writes.slice(before).filter(({ subresource }) => subresource === 'status');
    expect(records.length).toBeLessThan(6);
    lab.server.delete(canaryRef);
    await lab.passUntil(() => lab.server.find(anchorRef) === undefined, 60_000);
    await lab.pass(60_000);
    const after = lab.writes.length;
    await lab.pass(600_000);
    expect([lab.writes.length - after, lab.clock.pending]).toEqual([0, 0]);
  });

  it('I8: a Canary whose release has failed writes nothing while it is idle, nor after a restart', async () => {
    const lab = await releasing();
    lab.server.patch(canaryRef, { spec: { progressDeadlineSeconds: 5 } });
    lab.push(BROKEN_IMAGE);
    expect(await lab.passUntil(() => lab.phase() === 'Failed' && replicas(lab) === 0, 300_000)).toBe(true);
    await lab.pass(60_000);
    const before = lab.writes.length;
    await lab.pass(3_600_000);
    expect(lab.writes.slice(before)).toEqual([]);
    lab.kill();
    lab.start();
    await lab.pass(3_600_000);
    expect(lab.writes).toEqual([]);
  });

  it('after a failed release each further push is released, even after pushes during the rollback of the last one', async () => {
    const lab = await releasing();
    lab.push(BROKEN_IMAGE);
    expect(await lab.passUntil(() => lab.phase() === 'Failed', 300_000)).toBe(true);
    lab.push('3');
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
    expect(raw(lab.server.find(primaryRef))?.spec.template.spec.containers[0].image).toBe('3');
    lab.server.patch(targetRef, { spec: { template: { metadata: { annotations: { again: '1' } } } } });
    await lab.pass(60_000);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
    expect(raw(lab.server.find(primaryRef))?.spec.template.metadata.annotations.again).toBe('1');
  });

  it('a replica that does not lead writes no finalizer, nor anything else', async () => {
    const lab = await labWithApp();
    lab.server.create(aModelCanary(plan, { revertOnDeletion: true }));
    lab.start(() => false);
    await lab.pass(10_000);
    lab.server.patch(canaryRef, { spec: { revertOnDeletion: false } });
    lab.server.delete(canaryRef);
    await lab.pass(60_000);
    expect(lab.writes).toEqual([]);
  });

  it.each([
    {
      what: 'a number with a fraction',
      spec: { ...raw(aModelCanary(plan)).spec, progressDeadlineSeconds: 0.5 },
      field: 'spec.progressDeadlineSeconds',
    },
    { what: 'no spec', spec: undefined, field: 'spec' },
  ])('a Canary with $what stops no other, before and after a restart', async ({ spec, field }) => {
    const lab = await initialized();
    const { spec: _, ...bare } = aModelCanary(plan, {}, 'odd');
    smuggle(lab, { ...bare, ...(spec === undefined ? {} : { spec }) } as KubeObject);
    lab.push('2');
    await lab.passUntil(() => weightOf(lab) === 25, 120_000);
    lab.kill();
    lab.start();
    await ended(lab);
    const events = lab.server.api.store.list('/events').map(([, event]) => event);
    const named = events.some((event) => raw(event).involvedObject.name === 'odd' && raw(event).message.includes(field));
    const conditions: { message: string }[] = raw(lab.canary('odd'))?.status?.conditions ?? [];
    expect([lab.phase(), named || conditions.some(({ message }) => message.includes(field))]).toEqual(['Succeeded', true]);
  });

  it('I12: a Canary that cannot be read when Serin starts is not gone: nothing of it is restored', async () => {
    const lab = await initialized();
    await lab.passUntil(() => replicas(lab) === 0, 30_000);
    lab.kill();
    lab.server.patch(canaryRef, { spec: { service: { port: 70_000 } } });
    lab.start();
    await lab.pass(120_000);
    const standing = [routeRef, primaryRef, anchorRef].map((ref) => lab.server.find(ref)?.kind);
    expect([...standing, replicas(lab), lab.lost]).toEqual(['VirtualService', 'Deployment', 'ControllerRevision', 0, []]);
  });

  it('a failure after a long trouble that is over is tried again as soon as the first one', async () => {
    const lab = await initialized();
    const tries: number[] = [];
    lab.refuse = ({ ref }) => {
      if (ref.kind !== 'Canary') return;
      tries.push(lab.clock.monotonicMs());
      throw new ApiError('etcd is busy', { status: 500, reason: 'InternalError' });
    };
    lab.push('2');
    await lab.pass(240_000);
    lab.refuse = () => undefined;
    await ended(lab);
    const pauses = () => tries.slice(1).map((atMs, index) => atMs - (tries[index] ?? 0));
    expect([lab.phase(), Math.max(...pauses())]).toEqual(['Succeeded', expect.toSatisfy((longest: number) => longest > 50_000)]);
    tries.length = 0;
    lab.refuse = ({ ref }) => {
      if (ref.kind !== 'Canary' || tries.length === 2) return;
      tries.push(lab.clock.monotonicMs());
      throw new ApiError('etcd is busy', { status: 500, reason: 'InternalError' });
    };
    lab.push('3');
    await lab.pass(30_000);
    expect(pauses()[0]).toBeLessThan(2_000);
  });

  it('a newer CRD that adds defaults to the rules of a route costs no write, and delays no release', async () => {
    const lab = await initialized({}, ({ server }) => {
      const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'virtualservices.networking.istio.io' };
      const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      const rule = { ...open, properties: { fresh: { type: 'string', default: 'added' } } };
      const spec = { ...open, properties: { http: { type: 'array', items: rule } } };
      const schema = { openAPIV3Schema: { ...open, properties: { spec } } };
      const versions = raw(server.find(crd))?.spec.versions.map((version: object) => ({ ...version, schema }));
      server.patch(crd, { spec: { versions } });
    });
    lab.push('2');
    await ended(lab);
    await lab.pass(60_000);
    expect(raw(lab.server.find(routeRef))?.spec.http[0].fresh).toBe('added');
    const weights = lab.writes.filter(({ ref }) => ref.kind === 'VirtualService');
    // Idle, 25, 50, 0: each once.
    expect([lab.phase(), weights.length]).toEqual(['Succeeded', 4]);
  });

  describe('an edit of spec.service in the middle of a release whose routes the API server refuses', () => {
    const refusesHosts = async () => {
      const lab = await releasing();
      lab.refuse = ({ ref, body }) => {
        if (ref.kind === 'VirtualService' && JSON.stringify(body).includes('forbidden.example.org'))
          throw new ApiError('denied by policy', { status: 403, reason: 'Forbidden' });
      };
      // Only routes are refused, not the edit.
      lab.server.patch(canaryRef, { spec: { service: { hosts: ['forbidden.example.org'] } } });
      await lab.pass(5_000);
      return lab;
    };
    const blocked = (lab: ModelLab) =>
      lab.server.api.store
        .list('/events')
        .filter(([, event]) => event.reason === 'Blocked' && raw(event).message.includes('denied by policy'));

    it('keeps its weight, is reported, and can be rolled back', async () => {
      const lab = await refusesHosts();
      await lab.pass(60_000);
      expect([weightOf(lab), lab.phase(), blocked(lab)]).toEqual([25, 'Progressing', [expect.anything()]]);
      lab.push('1');
      expect(await lab.passUntil(() => weightOf(lab) === 0, 30_000)).toBe(true);
      expect(raw(lab.server.find(routeRef))?.spec.hosts).toEqual([APP]);
    });

    it('has its weight restored when another writer changes it, and goes on when the edit is corrected', async () => {
      const lab = await refusesHosts();
      const route = lab.server.find(routeRef);
      if (!route) throw new Error('route not found');
      const [rule] = structuredClone(raw(route).spec.http);
      rule.route[1].weight = 100;
      rule.route[0].weight = 0;
      lab.server.patch(routeRef, { spec: { http: [rule] } });
      expect(await lab.passUntil(() => weightOf(lab) === 25, 10_000)).toBe(true);
      lab.server.patch(canaryRef, { spec: { service: { hosts: ['allowed.example.org'] } } });
      await ended(lab);
      expect([lab.phase(), raw(lab.server.find(routeRef))?.spec.hosts, lab.lost]).toEqual(['Succeeded', ['allowed.example.org', APP], []]);
    });
  });
});
