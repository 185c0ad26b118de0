import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { type ModelLab, primaryRef } from '../fakes/model/lab.ts';
import { canaryOf, labOf } from '../fakes/model/life.ts';
import { BROKEN_IMAGE } from '../fakes/model/nodes.ts';
import { raw } from '../fakes/raw.ts';

const life = { seed: 5, delayMs: 1_000, plan: 0, hasService: true, provider: 'istio' } as const;
const DEADLINE_MS = 600_000;
/** Several intervals: as often as that the write is tried again. */
const LONG_MS = 65_000;

/** Amends each template that is written to the primary, as an API server or a webhook in it does. The returned function ends it. */
function amending(lab: ModelLab, amend: (primary: KubeObject) => object[]): () => void {
  const { api } = lab.server;
  const patch = api.patch.bind(api);
  api.patch = (resource, namespace, name, type, body, context) => {
    const primary = type === 'json' && name === primaryRef.name ? lab.server.find(primaryRef) : undefined;
    const amended = primary ? [...(body as unknown as object[]), ...amend(primary)] : body;
    return patch(resource, namespace, name, type, amended as never, context);
  };
  return () => {
    api.patch = patch;
  };
}

const add = (field: string, value: unknown) => ({ op: 'add', path: `/spec/template/spec/${field}`, value });
const podOf = (lab: ModelLab) => raw(lab.server.find(primaryRef))?.spec.template.spec;
const eventsOf = (lab: ModelLab) => lab.server.api.store.list('/events').map(([, event]) => event.reason);
const statusOf = (lab: ModelLab) => raw(lab.canary())?.status;
const isAt = (lab: ModelLab, phase: string, step: string) => () => lab.phase() === phase && statusOf(lab)?.release.step === step;
const reach = async (lab: ModelLab, phase: string, step: string) =>
  expect(await lab.passUntil(isAt(lab, phase, step), DEADLINE_MS), JSON.stringify(statusOf(lab))).toBe(true);

async function initialized(version = '1'): Promise<ModelLab> {
  const { lab } = labOf(life);
  await lab.application();
  lab.server.create(canaryOf(life));
  lab.start();
  await reach(lab, 'Initialized', 'resting');
  lab.push(version);
  return lab;
}

describe('additions of the API server to a promoted template', () => {
  it('Promotion: a field that only the server can have added does not hold up a promotion', async () => {
    const lab = await initialized('2');
    amending(lab, () => [add('shareProcessNamespace', true)]);
    await reach(lab, 'Succeeded', 'resting');
    expect(podOf(lab)).toMatchObject({ shareProcessNamespace: true, containers: [{ image: '2' }] });
    expect(eventsOf(lab)).not.toContain('PrimaryRejected');
    expect(lab.lost).toEqual([]);
  });

  it('Writes: a field of the previous primary that stays keeps traffic where it is in every attempt, until it is gone', async () => {
    const lab = await initialized('2');
    const edited = lab.server.find(primaryRef);
    const { template } = raw(edited)?.spec ?? {};
    const volumes = [{ name: 'leftover', emptyDir: {} }];
    if (edited)
      lab.server.putAs('other', {
        ...edited,
        spec: { ...raw(edited).spec, template: { ...template, spec: { ...template.spec, volumes } } },
      });
    const stop = amending(lab, (primary) => [add('volumes', raw(primary).spec.template.spec.volumes)]);
    await reach(lab, 'Promoting', 'writingPrimary');
    await lab.pass(LONG_MS);
    expect(isAt(lab, 'Promoting', 'writingPrimary')()).toBe(true);
    expect(eventsOf(lab)).toContain('PrimaryRejected');
    expect(statusOf(lab)).toMatchObject({ canaryWeight: 50, release: { reason: expect.stringContaining('spec.template.spec.volumes') } });
    // A successor looks at it as well.
    lab.kill();
    lab.start();
    await lab.pass(LONG_MS);
    expect(isAt(lab, 'Promoting', 'writingPrimary')()).toBe(true);
    stop();
    await reach(lab, 'Succeeded', 'resting');
    expect(podOf(lab)).not.toHaveProperty('volumes');
    expect(lab.lost).toEqual([]);
  });

  it('E44: a newer server, which fills in more than it did when the template was promoted, does not bar the way back to it', async () => {
    const lab = await initialized(BROKEN_IMAGE);
    const target = { ...primaryRef, name: 'podinfo' };
    const newer = { shareProcessNamespace: true };
    // The canary serves, its primary never does.
    await reach(lab, 'Progressing', 'scalingUp');
    lab.server.patch(target, { status: { availableReplicas: 1, updatedReplicas: 1, replicas: 1, readyReplicas: 1 } }, 'status');
    amending(lab, () => Object.entries(newer).map(([field, value]) => add(field, value)));
    await reach(lab, 'Failed', 'resting');
    expect(podOf(lab)).toMatchObject({ ...newer, containers: [{ image: '1' }] });
    expect(statusOf(lab)?.canaryWeight).toBe(0);
    expect(eventsOf(lab)).not.toContain('PrimaryRejected');
  });
});
