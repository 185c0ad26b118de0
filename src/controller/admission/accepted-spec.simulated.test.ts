import { describe, expect, it, vi } from 'vitest';
import { anchorRef } from '../../../test/fakes/model/damage.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { conditionOf, each, type Kind, kinds, OTHER, OWN, serviceOf } from '../../../test/fakes/model/own-routes.ts';
import { forgetSpecs, storedSpecs } from '../../../test/fakes/model/stored-specs.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { refOf } from '../../api/kube-object.ts';
import { ApiError } from '../../kube/errors.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const [ADDED, DENIED] = ['added.example.org', 'denied.example.org'];
const steps = { stepWeight: 25, maxWeight: 50 };
const status = (lab: ModelLab) => raw(lab.canary())?.status;
const weightOf = (lab: ModelLab): number | undefined => status(lab)?.canaryWeight;
const isOver = (lab: ModelLab): boolean => status(lab)?.release?.step === 'resting' && weightOf(lab) === 0;

/** Weights of the canary in the route itself. */
function shares(lab: ModelLab, kind: Kind): number[] {
  const text = JSON.stringify(lab.server.find({ ...refOf(kinds[kind].route(OWN)), name: APP })?.spec);
  return [...text.matchAll(/"podinfo-canary"[^[\]]*?"weight":(\d+)/g)].map(([, weight]) => Number(weight));
}

/** A Canary whose route Serin made for one host. */
interface Edited {
  lab: ModelLab;
  hosts(): readonly string[];
  /** Moments at which the controller sent anything and the added host was not routed. */
  left: string[];
}

function edited(lab: ModelLab, kind: Kind): Edited {
  const { hosts, route } = kinds[kind];
  return { lab, left: [], hosts: () => raw(lab.server.find({ ...refOf(route(OWN)), name: APP }))?.spec[hosts] ?? [] };
}

/** From here on the added host has to be routed. */
function watch({ lab, hosts, left }: Edited): void {
  lab.betweenCalls = () => {
    if (!hosts().includes(ADDED)) left.push(`${lab.clock.monotonicMs()} ms: ${hosts()}`);
  };
}

async function initialized(kind: Kind, more: object = {}): Promise<Edited> {
  const lab = await labWithApp();
  lab.server.create(aModelCanary(steps, { ...more, ...kinds[kind].spec, service: serviceOf(kind, [OWN]) }));
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
  lab.server.create(kinds[kind].route(OTHER));
  return edited(lab, kind);
}

/** An accepted edit, and a refused edit. */
async function edit(kind: Kind, one: Edited): Promise<void> {
  const { lab } = one;
  lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED]) } });
  expect(await lab.passUntil(() => one.hosts().includes(ADDED), 30_000)).toBe(true);
  await lab.pass(1_000);
  watch(one);
  lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED, OTHER]) } });
}

async function releasing(kind: Kind, more: object = {}): Promise<Edited> {
  const one = await initialized(kind, more);
  one.lab.push('2');
  expect(await one.lab.passUntil(() => weightOf(one.lab) === 25, 120_000)).toBe(true);
  return one;
}

function restart({ lab }: Edited): void {
  lab.kill();
  lab.start();
}

describe.each(each)('I17, E65: a host of a %s that an edit has added, where a later edit is refused and Serin is restarted', (kind) => {
  it.each([
    {
      end: 'is cancelled',
      by: async ({ lab }: Edited) => {
        lab.push('1');
        expect(await lab.passUntil(() => isOver(lab), 300_000)).toBe(true);
      },
    },
    {
      end: 'fails',
      by: async ({ lab }: Edited) => {
        lab.server.patch({ ...targetRef }, { spec: { template: { metadata: { annotations: { failed: 'yes' } } } } });
        expect(await lab.passUntil(() => weightOf(lab) === 0, 300_000)).toBe(true);
      },
    },
    {
      end: 'goes on when the edit is corrected, and is promoted',
      by: async ({ lab }: Edited) => {
        await lab.pass(200_000);
        expect([lab.phase(), weightOf(lab)]).toEqual(['Progressing', 25]);
        lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED]) } });
        expect(await lab.passUntil(() => lab.phase() === 'Succeeded' && isOver(lab), 300_000)).toBe(true);
      },
    },
  ])('stays routed in a release that $end', async ({ by }) => {
    const one = await releasing(kind);
    const { lab } = one;
    await edit(kind, one);
    await lab.pass(5_000);
    restart(one);
    await lab.pass(20_000);
    expect(conditionOf(lab, 'Accepted')?.message).not.toContain('not stored');
    await by(one);
    expect([one.left, one.hosts().includes(OTHER), lab.lost]).toEqual([[], false, []]);
  });

  it.each([
    { when: 'before', revertOnDeletion: false },
    { when: 'before', revertOnDeletion: true },
    { when: 'after', revertOnDeletion: false },
  ])(
    'stays routed where the release is deleted $when the first pass of the new process (revertOnDeletion: $revertOnDeletion)',
    async ({ when, revertOnDeletion }) => {
      const one = await releasing(kind, { revertOnDeletion });
      const { lab } = one;
      await edit(kind, one);
      await lab.pass(5_000);
      lab.kill();
      if (when === 'before') lab.server.delete(canaryRef);
      lab.start();
      await lab.pass(5_000);
      if (when === 'after') lab.server.delete(canaryRef);
      await lab.pass(120_000);
      expect([lab.answering(), one.left, one.hosts().includes(OTHER), lab.lost]).toEqual([[primaryRef.name], [], false, []]);
      lab.push('1');
      await lab.pass(120_000);
      expect([lab.answering(), one.left, one.hosts().includes(OTHER), lab.lost]).toEqual([[APP], [], false, []]);
    },
  );

  it('stays routed where the accepted edit itself came while Serin was down, and is refused by the next one', async () => {
    const one = await releasing(kind);
    const { lab } = one;
    lab.kill();
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED]) } });
    lab.start();
    expect(await lab.passUntil(() => one.hosts().includes(ADDED), 30_000)).toBe(true);
    lab.kill();
    watch(one);
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED, OTHER]) } });
    lab.start();
    await lab.pass(10_000);
    lab.push('1');
    expect(await lab.passUntil(() => isOver(lab), 300_000)).toBe(true);
    expect([one.left, one.hosts().includes(OTHER), lab.lost]).toEqual([[], false, []]);
  });

  it('stays routed where an earlier version of Serin, which does not store it, has accepted the edit', async () => {
    const one = await releasing(kind);
    const { lab } = one;
    const { annotations } = raw(lab.server.find(anchorRef))?.metadata ?? {};
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED]) } });
    expect(await lab.passUntil(() => one.hosts().includes(ADDED), 30_000)).toBe(true);
    await lab.pass(1_000);
    lab.kill();
    lab.server.patch(anchorRef, { metadata: { annotations } });
    watch(one);
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED, OTHER]) } });
    for (const _ of ['the first process', 'the next process']) {
      restart(one);
      await lab.pass(20_000);
      expect([conditionOf(lab, 'Accepted')?.message, one.left]).toEqual([expect.stringContaining('the previous spec is not stored'), []]);
    }
  });

  it('stays routed where edits of a suspended Canary are accepted and refused, and Serin is restarted', async () => {
    const one = await releasing(kind);
    const { lab } = one;
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED]) } });
    expect(await lab.passUntil(() => one.hosts().includes(ADDED), 30_000)).toBe(true);
    await lab.pass(1_000);
    watch(one);
    for (const edited of [
      { suspend: true },
      { analysis: { threshold: 7 } },
      { suspend: false, service: serviceOf(kind, [OWN, ADDED, OTHER]) },
    ]) {
      lab.server.patch(canaryRef, { spec: edited });
      await lab.pass(5_000);
      restart(one);
      await lab.pass(20_000);
    }
    expect([conditionOf(lab, 'Accepted')?.status, one.left]).toEqual(['False', []]);
    expect(conditionOf(lab, 'Accepted')?.message).not.toContain('not stored');
  });

  it('stays routed where no release is in progress, and what others change is healed', async () => {
    const one = await initialized(kind);
    const { lab } = one;
    await edit(kind, one);
    await lab.pass(5_000);
    restart(one);
    await lab.pass(5_000);
    const service = { apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE };
    const { selector } = raw(lab.server.find(service))?.spec ?? {};
    lab.server.patch(service, { spec: { selector: { app: APP } } });
    await lab.pass(10_000);
    expect(raw(lab.server.find(service))?.spec.selector).toEqual(selector);
    lab.server.delete(canaryRef);
    await lab.pass(120_000);
    expect([lab.answering(), one.left, one.hosts().includes(OTHER)]).toEqual([[APP], [], false]);
  });

  it('stays routed where the API server refuses the routes of a later edit, and a release is cancelled after a restart', async () => {
    const one = await releasing(kind);
    const { lab } = one;
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED]) } });
    expect(await lab.passUntil(() => one.hosts().includes(ADDED), 30_000)).toBe(true);
    await lab.pass(1_000);
    watch(one);
    expect(shares(lab, kind)).toEqual([25]);
    lab.refuse = ({ ref, body }) => {
      if (ref.kind !== kind || !JSON.stringify(body).includes(DENIED)) return;
      throw new ApiError(`patch ${kind}: denied by a policy`, { status: 403, reason: 'Forbidden' });
    };
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED, DENIED]) } });
    await lab.pass(5_000);
    restart(one);
    await lab.pass(20_000);
    lab.push('1');
    expect(await lab.passUntil(() => shares(lab, kind).every((weight) => weight === 0), 30_000)).toBe(true);
    expect([one.left, one.hosts().includes(DENIED), lab.lost]).toEqual([[], false, []]);
  });
});

describe('E65: what is stored of a spec that a Canary is run by', () => {
  const written = (lab: ModelLab): number =>
    lab.writes.filter(
      ({ verb, ref, body }) => verb === 'patch' && ref.name === anchorRef.name && JSON.stringify(body).includes('accepted-specs'),
    ).length;
  const stored = (lab: ModelLab): string[][] => storedSpecs(lab).map((spec) => raw(spec).service.hosts);
  const release = async (lab: ModelLab, version: string): Promise<void> => {
    lab.push(version);
    await lab.passUntil(() => lab.phase() === 'Progressing', 60_000);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded' && isOver(lab), 300_000)).toBe(true);
  };
  const host = (lab: ModelLab, ...hosts: string[]) => {
    lab.server.patch(canaryRef, { spec: { service: serviceOf('VirtualService', [OWN, ...hosts]) } });
    return lab.pass(20_000);
  };

  it('comes with the anchor and costs a write for each accepted edit, and none for a refused edit, a release or a restart', async () => {
    const { lab } = await initialized('VirtualService');
    await release(lab, '2');
    expect([stored(lab), written(lab)]).toEqual([[[OWN]], 0]);
    await host(lab, ADDED);
    expect([stored(lab), written(lab)]).toEqual([[[OWN, ADDED], [OWN]], 1]);
    await host(lab, ADDED, OTHER);
    expect(conditionOf(lab, 'Accepted')?.status).toBe('False');
    expect([stored(lab), written(lab)]).toEqual([[[OWN, ADDED], [OWN]], 1]);
    await host(lab, DENIED);
    expect([stored(lab), written(lab)]).toEqual([
      [
        [OWN, DENIED],
        [OWN, ADDED],
      ],
      2,
    ]);
    lab.kill();
    lab.start();
    await lab.pass(60_000);
    expect(lab.writes).toEqual([]);
  });

  it('I8: is added by the first release after an upgrade, and never to an idle Canary', async () => {
    const { lab } = await initialized('VirtualService');
    await lab.pass(30_000);
    lab.kill();
    forgetSpecs(lab);
    lab.start();
    await lab.pass(60_000);
    expect([lab.writes, stored(lab)]).toEqual([[], []]);
    await release(lab, '2');
    expect([stored(lab), written(lab)]).toEqual([[[OWN]], 1]);
  });

  it('has the spec before with it, where the first edit after an upgrade is accepted', async () => {
    const { lab } = await initialized('VirtualService');
    await lab.pass(30_000);
    lab.kill();
    forgetSpecs(lab);
    lab.start();
    await lab.pass(60_000);
    await host(lab, ADDED);
    expect(stored(lab)).toEqual([[OWN, ADDED], [OWN]]);
  });

  it('is not waited for where a policy refuses it: an edit is run, and a line in the log says what a restart forgets', async () => {
    const { lab, hosts } = await initialized('VirtualService');
    await lab.pass(30_000);
    lab.refuse = ({ ref }) => {
      if (ref.name === anchorRef.name)
        throw new ApiError('patch ControllerRevision: denied by a policy', { status: 403, reason: 'Forbidden' });
    };
    await host(lab, ADDED);
    expect([hosts().includes(ADDED), stored(lab)]).toEqual([true, [[OWN]]]);
    expect(lab.logged.filter(({ msg }) => msg.startsWith('the spec is not stored'))).toHaveLength(1);
  });

  it.each([
    { what: 'no JSON', text: '[{' },
    { what: 'no spec', text: '[{"targetRef":{}}]' },
    { what: 'a spec that is not admitted', text: JSON.stringify([{ ...raw(aModelCanary(steps)).spec, provider: 'of-a-tenant' }]) },
  ])('I16: counts as not stored where a tenant has written $what', async ({ text }) => {
    const one = await releasing('VirtualService');
    const { lab } = one;
    await edit('VirtualService', one);
    lab.kill();
    forgetSpecs(lab, text);
    lab.start();
    await lab.pass(20_000);
    expect([conditionOf(lab, 'Accepted')?.message, lab.phase(), weightOf(lab)]).toEqual([
      expect.stringContaining('the previous spec is not stored'),
      'Progressing',
      25,
    ]);
    expect(one.left).toEqual([]);
  });
});
