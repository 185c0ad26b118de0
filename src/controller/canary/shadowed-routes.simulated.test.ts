import { describe, expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { conditionOf, each, type Kind, kinds, OTHER, OWN, serviceOf } from '../../../test/fakes/model/own-routes.ts';
import type { KubeObject } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const steps = { stepWeight: 25, maxWeight: 50 };
/** A Canary whose route Serin has made for one host. */
async function initialized(kind: Kind, objects: readonly KubeObject[] = []): Promise<ModelLab> {
  const lab = await labWithApp();
  for (const one of objects) lab.server.create(one);
  lab.server.create(aModelCanary(steps, { ...kinds[kind].spec, service: serviceOf(kind, [OWN]) }));
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
  return lab;
}

describe.each(each)('I17: beside a %s that Serin has made', (kind) => {
  const { route } = kinds[kind];
  const named = new RegExp(`^${kind} static: .* answers .*, which ${kind} ${APP} of this Canary takes from it\\. To keep it, `);

  it('a later route of the user’s that it shadows is named as a release starts, and the release goes on', async () => {
    const lab = await initialized(kind);
    lab.server.create(route(OWN));
    lab.push('2');
    expect(await lab.passUntil(() => conditionOf(lab, 'WouldBeLost') !== undefined, 120_000)).toBe(true);
    expect(conditionOf(lab, 'WouldBeLost')?.message).toMatch(named);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
    expect(conditionOf(lab, 'Accepted')).toBeUndefined();
  });

  it('one for a host that an edit of the Canary has added is named as the next release starts', async () => {
    const lab = await initialized(kind);
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, OTHER]) } });
    await lab.pass(10_000);
    lab.push('2');
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
    expect(conditionOf(lab, 'WouldBeLost')).toBeUndefined();
    lab.server.create(route(OTHER));
    lab.push('3');
    expect(await lab.passUntil(() => conditionOf(lab, 'WouldBeLost') !== undefined, 120_000)).toBe(true);
    expect(conditionOf(lab, 'WouldBeLost')?.message).toMatch(named);
  });
});
