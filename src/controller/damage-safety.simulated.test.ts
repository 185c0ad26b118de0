import { describe, expect, it, vi } from 'vitest';
import { anchorRef, ended, initialized, plan, releasing, replicas, routeRef, weightOf } from '../../test/fakes/model/damage.ts';
import { APP, aModelCanary, canaryRef, NAMESPACE, namespaceRef, primaryRef, targetRef } from '../../test/fakes/model/lab.ts';
import { BROKEN_IMAGE } from '../../test/fakes/model/nodes.ts';
import { raw } from '../../test/fakes/raw.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { acceptAnnotation } from '../api/names.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

describe('damage that Flagger does: safety', () => {
  it('a target that is scaled to zero by hand is raised again, and its primary is never without pods', async () => {
    const lab = await releasing();
    lab.server.patch(targetRef, { spec: { replicas: 0 } });
    const fewest: number[] = [];
    await lab.passUntil(() => {
      fewest.push(replicas(lab, primaryRef) ?? 0);
      return lab.phase() === 'Succeeded';
    }, 300_000);
    expect([lab.phase(), Math.min(...fewest)]).toEqual(['Succeeded', 1]);
  });

  it('a Canary over a Deployment at zero makes a primary with a pod', async () => {
    const lab = await initialized({}, ({ server }) => server.patch(targetRef, { spec: { replicas: 0 } }));
    expect(replicas(lab, primaryRef)).toBe(1);
  });

  it('a Canary with revertOnDeletion goes when its target, its apex Service or both are gone', async () => {
    for (const gone of [
      [targetRef],
      [{ ...targetRef, apiVersion: 'v1', kind: 'Service' }],
      [targetRef, { ...targetRef, apiVersion: 'v1', kind: 'Service' }],
    ]) {
      const lab = await initialized({ revertOnDeletion: true });
      for (const ref of gone) lab.server.delete(ref);
      lab.server.delete(canaryRef);
      expect(await lab.passUntil(() => lab.canary() === undefined, 60_000), JSON.stringify(gone)).toBe(true);
    }
  });

  it('a target that never becomes ready holds neither its namespace nor, for ever, its Canary', async () => {
    const stuck = await initialized({ revertOnDeletion: true });
    stuck.push(BROKEN_IMAGE);
    stuck.server.delete(canaryRef);
    await stuck.pass(1_000);
    expect(stuck.canary()).toBeDefined();
    expect(await stuck.passUntil(() => stuck.canary() === undefined, 700_000)).toBe(true);
    expect(stuck.answering()).toEqual([primaryRef.name]);
    stuck.close();

    const leaving = await initialized({ revertOnDeletion: true });
    leaving.push(BROKEN_IMAGE);
    leaving.server.delete(namespaceRef);
    expect(await leaving.passUntil(() => leaving.server.find(namespaceRef) === undefined, 30_000)).toBe(true);
    leaving.close();
  });

  it.each([true, false])(
    'a Canary is deleted whose primary was deleted before, and its target gets its pods back: revertOnDeletion %s',
    async (revertOnDeletion) => {
      const lab = await initialized({ revertOnDeletion });
      await lab.passUntil(() => replicas(lab) === 0, 60_000);
      lab.kill();
      lab.server.delete(primaryRef);
      lab.server.delete(canaryRef);
      lab.start();
      expect(await lab.passUntil(() => lab.canary() === undefined && lab.server.find(anchorRef) === undefined, 120_000)).toBe(true);
      expect([replicas(lab), lab.answering()]).toEqual([1, [APP]]);
    },
  );

  it('revertOnDeletion that is switched off while Serin is down takes its finalizer along', async () => {
    const lab = await initialized({ revertOnDeletion: true });
    lab.kill();
    lab.server.patch(canaryRef, { spec: { revertOnDeletion: false } });
    lab.start();
    await lab.pass(5_000);
    expect(lab.canary()?.metadata.finalizers ?? []).toEqual([]);
  });

  it('a Canary that was made invalid and has the finalizer goes, and gives its application back', async () => {
    const lab = await initialized({ revertOnDeletion: true });
    await lab.passUntil(() => replicas(lab) === 0, 60_000);
    lab.server.patch(canaryRef, { spec: { service: { port: 70_000 } } });
    await lab.pass(5_000);
    lab.server.delete(canaryRef);
    expect(await lab.passUntil(() => lab.canary() === undefined, 120_000)).toBe(true);
    expect([lab.answering(), lab.lost]).toEqual([[APP], []]);
  });

  it('while a Canary is restored in the middle of its release, nothing leads to its primary again', async () => {
    const lab = await releasing({ revertOnDeletion: true });
    const serviceRef = { apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE };
    const before = lab.writes.length;
    // Without this word of the user the primary would keep serving (I19).
    const annotations = { [acceptAnnotation]: raw(lab.canary())?.status?.release?.revision };
    lab.server.patch(targetRef, { metadata: { annotations } });
    lab.server.delete(canaryRef);
    const selected: string[] = [];
    await lab.passUntil(() => {
      const selector = raw(lab.server.find(serviceRef))?.spec.selector.app;
      if (selected.at(-1) !== selector) selected.push(selector);
      return lab.canary() === undefined && lab.server.find(anchorRef) === undefined;
    }, 120_000);
    expect([selected, lab.answering(), lab.lost]).toEqual([[`${APP}-primary`, APP], [APP], []]);
    const scaled = lab.writes.slice(before).filter(({ ref, subresource }) => ref.name === APP && subresource === 'scale');
    expect(scaled.filter(({ body }) => JSON.stringify(body).includes('"replicas":0'))).toEqual([]);
  });

  it('drift of an A/B route never sends its users home, not for a moment', async () => {
    const lab = await initialized();
    const match = [{ headers: { user: { exact: 'a' } } }];
    lab.server.patch(canaryRef, { spec: { analysis: { stepWeight: null, maxWeight: null, iterations: 5, match } } });
    lab.push('2');
    const matched = () => raw(lab.server.find(routeRef))?.spec.http?.[0]?.match?.[0]?.headers?.user?.exact;
    expect(await lab.passUntil(() => matched() === 'a', 120_000)).toBe(true);
    const written = lab.writes.length;
    lab.server.patch(routeRef, { metadata: { annotations: { theirs: 'yes' }, labels: { theirs: 'yes' } }, spec: { hosts: ['theirs'] } });
    await lab.pass(8_000);
    const bodies = lab.writes.slice(written).filter(({ ref }) => ref.kind === 'VirtualService');
    expect(bodies.map(({ body }) => raw(body as KubeObject).spec.http[0].match[0].headers)).toEqual([{ user: { exact: 'a' } }]);
    expect([matched(), raw(lab.server.find(routeRef))?.spec.hosts]).toEqual(['a', [APP]]);
  });

  it('an edit of spec.service, and drift of a route, leave the weight where it is', async () => {
    const lab = await releasing();
    const seen = new Set<number | undefined>();
    const look = () => {
      seen.add(weightOf(lab));
      return false;
    };
    lab.server.patch(canaryRef, { spec: { service: { timeout: '7s', apex: { labels: { team: 'shop' } } } } });
    await lab.passUntil(look, 1_000);
    expect(raw(lab.server.find(routeRef))?.spec.http[0].timeout).toBe('7s');
    lab.server.patch(routeRef, { metadata: { labels: { foreign: 'yes' } }, spec: { http: [] } });
    await lab.passUntil(() => weightOf(lab) !== undefined, 1_000);
    expect([weightOf(lab), [...seen]]).toEqual([25, [25]]);
    await ended(lab);
    expect(lab.phase()).toBe('Succeeded');
  });

  it('a Canary that is made again over a target at zero keeps the pods of its primary', async () => {
    const lab = await initialized({}, ({ server }) => server.patch(targetRef, { spec: { replicas: 3 } }));
    await lab.passUntil(() => replicas(lab) === 0, 60_000);
    expect([replicas(lab), replicas(lab, primaryRef)]).toEqual([0, 3]);
    lab.kill();
    lab.server.delete(canaryRef);
    await lab.pass(1_000);
    lab.server.create(aModelCanary(plan));
    lab.start();
    await lab.passUntil(() => lab.phase() === 'Initialized', 300_000);
    await lab.pass(30_000);
    expect([lab.phase(), replicas(lab, primaryRef), lab.lost]).toEqual(['Initialized', 3, []]);
  });

  it.each([0, 1_500, 4_000, 12_000])('a Canary made again %i ms after it was deleted deletes no pods', async (afterMs) => {
    const lab = await initialized({}, ({ server }) => server.patch(targetRef, { spec: { replicas: 3 } }));
    lab.server.delete(canaryRef);
    await lab.pass(afterMs);
    lab.server.create(aModelCanary(plan));
    await lab.pass(120_000);
    expect([lab.phase(), replicas(lab), replicas(lab, primaryRef), lab.lost]).toEqual(['Initialized', 0, 3, []]);
    lab.server.delete(canaryRef);
    await lab.pass(60_000);
    expect([replicas(lab), lab.answering(), lab.server.find(primaryRef), lab.lost]).toEqual([3, [APP], undefined, []]);
  });

  it('a Canary deleted without revertOnDeletion leaves its application with its pods', async () => {
    const lab = await initialized({}, ({ server }) => server.patch(targetRef, { spec: { replicas: 2 } }));
    lab.server.delete(canaryRef);
    await lab.passUntil(() => lab.server.find(anchorRef) === undefined, 60_000);
    await lab.pass(5_000);
    expect([replicas(lab), lab.answering(), lab.lost]).toEqual([2, [APP], []]);
  });
});
