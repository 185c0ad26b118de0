import { describe, expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { BROKEN_IMAGE } from '../../../test/fakes/model/nodes.ts';
import { initializedLab, ordersPlan, release } from '../../../test/fakes/model/released.ts';
import { eventsOf, GRACE_MS, imageOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const serviceRef = { apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE };
const blueGreen = { iterations: 3, metrics: ordersPlan.metrics };

/** Deployment and Service as their manifests say: pods that the user wants, and a selector of the target. */
function sync(lab: ModelLab): void {
  lab.server.patch(targetRef, { spec: { replicas: 1 } });
  const service = raw(lab.server.find(serviceRef));
  lab.server.putAs('argocd-controller', { ...service, spec: { ...service.spec, selector: { app: APP } } } as KubeObject);
}

/** Longest delays in this lab of the watch, the read, the write and the proxies. */
const REACTION_MS = 4 * 2_000;

/** Requests lost after that: the sync's own write leads users away until Serin and its proxies have noticed. */
async function syncAndReact(lab: ModelLab): Promise<() => readonly string[]> {
  sync(lab);
  await lab.pass(REACTION_MS);
  const before = lab.lost.length;
  return () => lab.lost.slice(before, before + 3);
}

/** Passes the time, and says who answered. */
async function answeringFor(lab: ModelLab, seconds: number): Promise<Set<string>> {
  const answered = new Set<string>();
  const look = () => {
    for (const one of lab.answering()) answered.add(one);
  };
  lab.betweenCalls = look;
  for (let second = 0; second < seconds; second += 1) {
    await lab.pass(1_000);
    look();
  }
  return answered;
}

/** Version 2 has failed. */
async function failed(provider: string): Promise<ModelLab> {
  const lab = await initializedLab({}, aModelCanary(provider === 'kubernetes' ? blueGreen : ordersPlan, { provider }));
  lab.externalMetric = () => ({ value: 10, afterMs: 0 });
  await release(lab, '2', 'Failed');
  await lab.pass(30_000);
  return lab;
}

/** And its Canary was deleted. */
async function kept(provider: string): Promise<ModelLab> {
  const lab = await failed(provider);
  lab.server.delete(canaryRef);
  await lab.pass(GRACE_MS);
  expect([lab.answering(), imageOf(lab)]).toEqual([[primaryRef.name], '1']);
  return lab;
}

describe('I19: manifests that Git applies again over a kept primary', () => {
  it.each(['kubernetes', 'istio'])(
    'I19: do not lead users of %s to the target, whose pods are not touched; events say so',
    async (provider) => {
      const lab = await kept(provider);
      sync(lab);
      expect(await answeringFor(lab, 60)).not.toContain(APP);
      // Its pods exist by now, so that only the Service changes.
      sync(lab);
      await lab.pass(GRACE_MS);
      expect([lab.answering(), raw(lab.server.find(serviceRef))?.spec.selector]).toEqual([[primaryRef.name], { app: primaryRef.name }]);
      const [corrected = ''] = eventsOf(lab, 'DriftCorrected');
      expect(corrected).toContain('spec.selector.app was changed by argocd-controller');
      expect(corrected).toContain(`serin accept ${APP} -n test`);
      expect([raw(lab.server.find(targetRef))?.spec.replicas, eventsOf(lab, 'TargetScaledUp').length]).toEqual([1, 1]);
    },
  );

  it('I19: again and again are put back after growing pauses, which is said once; a push ends it meanwhile', async () => {
    const lab = await kept('kubernetes');
    for (let second = 0; second < 120; second += 5) {
      sync(lab);
      await lab.pass(5_000);
    }
    const puts = lab.writes.filter(({ ref }) => ref.kind === 'Service' && ref.name === APP);
    expect(puts.length).toBeLessThan(10);
    expect([eventsOf(lab, 'DriftCorrected').length, eventsOf(lab, 'Contested').length]).toEqual([1, 1]);
    lab.push('3');
    expect(await lab.passUntil(() => lab.server.find(primaryRef) === undefined, 180_000)).toBe(true);
    expect([lab.answering(), imageOf(lab, targetRef)]).toEqual([[APP], '3']);
  });

  it('I19: while Serin is down are put back when it starts, and at rest nothing is requested or written', async () => {
    const lab = await kept('kubernetes');
    lab.kill();
    sync(lab);
    await lab.pass(10_000);
    lab.start();
    await lab.pass(30_000);
    expect(lab.answering()).toEqual([primaryRef.name]);
    const sent = lab.writes.length;
    await lab.pass(GRACE_MS);
    expect(lab.writes.length).toBe(sent);
  });
});

describe('I7: manifests that Git applies again before the target of a deleted Canary is ready', () => {
  it('I7: the primary serves while a version that was pushed later does not become ready; an event says so', async () => {
    const lab = await kept('kubernetes');
    lab.push(BROKEN_IMAGE);
    await lab.pass(20_000);
    const lost = await syncAndReact(lab);
    expect(await answeringFor(lab, 60)).toEqual(new Set([primaryRef.name]));
    expect(lost()).toEqual([]);
    const [corrected = ''] = eventsOf(lab, 'DriftCorrected');
    expect(corrected).toContain('spec.selector.app was changed by argocd-controller');
    expect(corrected).toContain(`Deployment ${APP} is not ready yet`);
    expect(eventsOf(lab, 'TargetScaledUp')).toEqual([]);
    lab.push('4');
    expect(await lab.passUntil(() => lab.server.find(primaryRef) === undefined, 180_000)).toBe(true);
    expect([lab.answering(), imageOf(lab, targetRef), lost()]).toEqual([[APP], '4', []]);
  });

  it('I7: the primary serves until the pods of what was promoted are ready', async () => {
    const lab = await initializedLab({}, aModelCanary(blueGreen, { provider: 'kubernetes' }));
    lab.server.delete(canaryRef);
    await lab.pass(200);
    const lost = await syncAndReact(lab);
    expect(await lab.passUntil(() => lab.server.find(primaryRef) === undefined, 180_000)).toBe(true);
    expect([lab.answering(), lost()]).toEqual([[APP], []]);
  });

  it('I19: at once after the deletion, they are no hand-over of what has failed', async () => {
    const lab = await failed('kubernetes');
    lab.server.delete(canaryRef);
    const lost = await syncAndReact(lab);
    await lab.pass(GRACE_MS);
    expect([lab.answering(), imageOf(lab), lost()]).toEqual([[primaryRef.name], '1', []]);
  });
});
