import { describe, expect, it, vi } from 'vitest';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { ownerAnnotation } from '../../api/names.ts';

const routeRef = { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace: NAMESPACE };
const serviceRef = { apiVersion: 'v1', kind: 'Service', name: `${APP}-canary`, namespace: NAMESPACE };
const theirs = { hosts: [APP], http: [{ route: [{ destination: { host: APP } }] }] };

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

async function releasing(before: (lab: ModelLab) => void = () => undefined): Promise<ModelLab> {
  const lab = await labWithApp();
  before(lab);
  await initialize(lab, aModelCanary({ stepWeight: 25, maxWeight: 50 }));
  lab.push('2');
  expect(await lab.passUntil(() => raw(lab.server.find(routeRef))?.spec.http[0].route[1].weight === 25, 120_000)).toBe(true);
  return lab;
}

/** Strips it as `kubectl replace` does with a manifest without our annotations. */
function strip(lab: ModelLab, ref: typeof routeRef, isOurs: (name: string) => boolean = () => true): void {
  const { annotations = {} } = lab.server.find(ref)?.metadata ?? {};
  const none = Object.fromEntries(
    Object.keys(annotations)
      .filter(isOurs)
      .map((name) => [name, null]),
  );
  lab.server.patch(ref, { metadata: { annotations: none, ownerReferences: null } });
}

const marksOf = (object: KubeObject | undefined) => [
  object?.metadata.annotations?.[ownerAnnotation] !== undefined,
  object?.metadata.ownerReferences?.length,
];

describe('an object of ours that is replaced by an object without our marks', () => {
  it.each([
    { what: 'a route', ref: routeRef, isStripped: undefined },
    { what: 'a Service', ref: serviceRef, isStripped: undefined },
    { what: 'a route that has lost nothing else', ref: routeRef, isStripped: (name: string) => name === ownerAnnotation },
  ])('has them back at once, and goes with its Canary: $what', async ({ ref, isStripped }) => {
    const lab = await releasing();
    strip(lab, ref, isStripped);
    expect(marksOf(lab.server.find(ref))).toEqual([false, undefined]);
    expect(await lab.passUntil(() => marksOf(lab.server.find(ref))[0] === true, 2_000)).toBe(true);
    expect(marksOf(lab.server.find(ref))).toEqual([true, 1]);
    await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000);
    lab.server.delete(canaryRef);
    await lab.pass(120_000);
    expect([lab.server.find(ref), lab.answering(), lab.lost]).toEqual([undefined, [APP], []]);
  });

  it('costs one write, and another manager that does it again and again is braked', async () => {
    const lab = await releasing();
    await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000);
    await lab.pass(60_000);
    const writes = () => lab.writes.filter(({ ref }) => ref.kind === 'VirtualService').length;
    const before = writes();
    strip(lab, routeRef);
    await lab.pass(20_000);
    expect(writes() - before).toBe(1);
    for (let round = 0; round < 60; round += 1) {
      strip(lab, routeRef);
      await lab.pass(1_000);
    }
    expect(writes() - before).toBeLessThan(10);
  });

  it('a route that was found in place keeps the spec of its user, which comes back when the Canary goes', async () => {
    const lab = await releasing(({ server }) => {
      server.create({ apiVersion: routeRef.apiVersion, kind: routeRef.kind, metadata: { name: APP, namespace: NAMESPACE }, spec: theirs });
    });
    strip(lab, routeRef);
    await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000);
    expect(marksOf(lab.server.find(routeRef))).toEqual([false, undefined]);
    lab.server.delete(canaryRef);
    await lab.pass(120_000);
    expect(lab.server.find(routeRef)?.spec).toEqual(theirs);
  });

  it("that happened while Serin was down is the user's: it is routed, and stays with all traffic on the application", async () => {
    const lab = await releasing();
    lab.kill();
    strip(lab, routeRef);
    lab.start();
    await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000);
    expect(marksOf(lab.server.find(routeRef))).toEqual([false, undefined]);
    lab.server.delete(canaryRef);
    await lab.pass(120_000);
    const [rule] = raw(lab.server.find(routeRef))?.spec.http ?? [];
    expect([rule.route, lab.answering(), lab.lost]).toEqual([[{ destination: { host: APP } }], [APP], []]);
  });
});
