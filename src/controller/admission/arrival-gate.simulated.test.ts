import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf, labWithApp } from '../../../test/fakes/model/life.ts';
import { eventsOf } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { CanaryCondition } from '../../api/canary-status.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { definition } from '../../embedded/definition.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const plan = { stepWeight: 25, maxWeight: 50 };
const conditions = (lab: ModelLab): CanaryCondition[] => raw(lab.canary())?.status?.conditions ?? [];
const accepted = (lab: ModelLab) => conditions(lab).find(({ type }) => type === 'Accepted');
const warned = (lab: ModelLab) =>
  [conditions(lab).find(({ type }) => type === 'WouldBeLost')?.message, eventsOf(lab, 'WouldBeLost')] as const;
const made = (lab: ModelLab) =>
  lab.writes.map(({ verb, ref: { kind, name } }) => `${verb} ${kind} ${name}`).filter((one) => !/Event|Canary/.test(one));

const object = (apiVersion: string, kind: string, name: string, spec: object, annotations?: Labels): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: { name, namespace: NAMESPACE, ...(annotations && { annotations }) },
  spec,
});
const admission = object('security.istio.io/v1', 'AuthorizationPolicy', APP, { selector: { matchLabels: { app: APP } } });
const shared = [
  object('apps/v1', 'StatefulSet', 'blog', {
    serviceName: 'blog',
    selector: { matchLabels: { team: 'web' } },
    template: { metadata: { labels: { team: 'web' } }, spec: { containers: [{ name: 'blog', image: 'blog' }] } },
  }),
  object('v1', 'Service', 'web', { selector: { team: 'web' }, ports: [{ port: 80 }] }),
];

async function arriving(...objects: KubeObject[]): Promise<ModelLab> {
  const lab = await labWithApp();
  lab.server.create(definition('security.istio.io', 'AuthorizationPolicy', 'authorizationpolicies', ['v1']));
  lab.server.create(definition('networking.istio.io', 'Sidecar', 'sidecars', ['v1']));
  for (const one of objects) lab.server.create(one);
  lab.server.create(aModelCanary(plan));
  lab.start();
  return lab;
}

it('I17: a Canary that would cost a policy its effect is refused before anything is written, with object, rule and remedy', async () => {
  const lab = await arriving(admission);
  await lab.pass(60_000);
  expect(accepted(lab)).toMatchObject({
    status: 'False',
    reason: 'PolicyWouldBeLost',
    message: expect.stringMatching(
      /^AuthorizationPolicy podinfo: spec\.selector\.matchLabels selects the pods of Deployment podinfo and not/,
    ),
  });
  expect(conditions(lab)[0]?.message).toBe(accepted(lab)?.message);
  expect(accepted(lab)).toMatchObject({
    object: { apiVersion: 'security.istio.io/v1', kind: 'AuthorizationPolicy', name: APP, namespace: NAMESPACE },
    field: 'spec.selector.matchLabels',
  });
  expect(made(lab)).toEqual([]);
});

it('I17: it goes on by itself once the user has a policy for the primary, though nothing watches policies', async () => {
  const lab = await arriving(admission);
  await lab.pass(60_000);
  const own = {
    ...admission,
    metadata: { ...admission.metadata, name: `${APP}-primary` },
    spec: { selector: { matchLabels: { app: `${APP}-primary` } } },
  };
  lab.server.create(own);
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 600_000)).toBe(true);
  expect([accepted(lab), lab.lost]).toEqual([undefined, []]);
});

it('I17: a loss that the user accepts is an event, once, and refuses nothing', async () => {
  const lab = await arriving({ ...admission, metadata: { ...admission.metadata, annotations: { 'serin.dev/arrival-loss': 'accepted' } } });
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  expect(eventsOf(lab, 'WouldBeLost')).toEqual([expect.stringContaining('AuthorizationPolicy podinfo: spec.selector')]);
});

it('I17: Services of other owners stay unmodified, and a later object does not refuse a serving Canary: its next release warns', async () => {
  const lab = await arriving(...shared);
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  lab.server.create(admission);
  lab.kill();
  lab.start();
  await lab.pass(120_000);
  expect(warned(lab)).toEqual([undefined, []]);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  const text = 'AuthorizationPolicy podinfo: spec.selector';
  expect(lab.lost).toEqual([]);
  expect(warned(lab)).toEqual([expect.stringContaining(text), [expect.stringContaining(text)]]);
});

it('I17: a warning of a release is an event once, and a condition until a later release no longer finds it', async () => {
  const lab = await arriving();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  lab.server.create(admission);
  for (const revision of ['2', '3']) {
    lab.push(revision);
    await lab.passUntil(() => lab.phase() === 'Progressing', 60_000);
    expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
    lab.kill();
    lab.start();
  }
  const [condition, events] = warned(lab);
  expect([condition, events.length]).toEqual([expect.stringContaining('AuthorizationPolicy podinfo'), 1]);
  lab.server.patch(
    { ...canaryRef, apiVersion: admission.apiVersion, kind: admission.kind, name: APP },
    { metadata: { annotations: { 'serin.dev/arrival-loss': 'accepted' } } },
  );
  lab.push('4');
  await lab.passUntil(() => lab.phase() === 'Progressing', 60_000);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  expect(warned(lab)).toEqual([undefined, events]);
});

it('I17: a warning of the arrival is also a condition, and no event of the first release', async () => {
  const sidecar = object('networking.istio.io/v1', 'Sidecar', APP, { workloadSelector: { labels: { app: APP } } });
  const lab = await arriving(sidecar);
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  lab.push('2');
  await lab.passUntil(() => lab.phase() === 'Progressing', 60_000);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  const text = expect.stringContaining('Sidecar podinfo: spec.workloadSelector');
  expect(warned(lab)).toEqual([text, [text]]);
});

it('I17: a Canary that comes to a primary that serves is not refused, and warns once', async () => {
  const lab = await arriving();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  lab.push('2');
  await lab.passUntil(() => lab.phase() === 'Progressing', 60_000);
  lab.server.delete(canaryRef);
  await lab.passUntil(() => lab.canary() === undefined, 60_000);
  lab.server.create(admission);
  lab.server.create(aModelCanary(plan));
  expect(await lab.passUntil(() => warned(lab)[0] !== undefined, 10_000)).toBe(true);
  expect(lab.phase()).toBe('Initializing');
  await lab.pass(60_000);
  expect(accepted(lab)).toBeUndefined();
  const text = expect.stringContaining('AuthorizationPolicy podinfo: spec.selector');
  expect(warned(lab)).toEqual([text, [text]]);
});

it('I17: a release goes on while the objects that it looks at cannot be read, and an idle Canary sends no requests for them', async () => {
  const lab = await arriving();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  const asked: string[] = [];
  lab.listed = (kind) => {
    asked.push(kind);
    if (kind === 'AuthorizationPolicy') throw new Error('no answer');
  };
  await lab.pass(600_000);
  expect(asked).toEqual([]);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  const once = [...asked];
  expect(once.filter((kind) => kind === 'AuthorizationPolicy')).toHaveLength(1);
  await lab.pass(600_000);
  expect(asked).toEqual(once);
});

it('I17: a Canary that is edited while it is refused is looked at again at once', async () => {
  const lab = await arriving(admission);
  await lab.pass(60_000);
  lab.server.patch(
    { ...canaryRef, apiVersion: admission.apiVersion, kind: admission.kind, name: APP },
    { metadata: { annotations: { 'serin.dev/arrival-loss': 'accepted' } } },
  );
  lab.server.patch(canaryRef, { spec: { progressDeadlineSeconds: 121 } });
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 30_000)).toBe(true);
});

it('I17: a target without a label to tell its pods apart is a refusal that looks like one, until the target has one', async () => {
  const lab = await labWithApp();
  const labels = { tier: 'web' };
  const unlabelled = lab.server.find(targetRef) as KubeObject;
  const spec = { ...raw(unlabelled).spec, selector: { matchLabels: labels } };
  spec.template = { ...spec.template, metadata: { ...spec.template.metadata, labels } };
  lab.server.delete(targetRef);
  lab.server.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: APP, namespace: NAMESPACE }, spec });
  lab.server.create(aModelCanary(plan));
  lab.start();
  await lab.pass(60_000);
  expect(accepted(lab)).toMatchObject({
    status: 'False',
    reason: 'TargetUnusable',
    message: expect.stringMatching(/^Deployment podinfo: spec\.selector\.matchLabels has none of app, name, app\.kubernetes\.io\/name/),
  });
  expect(made(lab)).toEqual([]);
  lab.server.delete(targetRef);
  await lab.application(false);
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  expect(accepted(lab)?.status).not.toBe('False');
});

it('I17: an object of the user’s under a name that the provider writes is neither overwritten nor removed with the Canary', async () => {
  const split = object('split.smi-spec.io/v1alpha2', 'TrafficSplit', APP, {
    service: APP,
    backends: [
      { service: APP, weight: 90 },
      { service: 'legacy', weight: 10 },
    ],
  });
  const { lab } = labOf({ seed: 5, provider: 'smi:v1alpha2', delayMs: 2_000, plan: 0, hasService: true });
  await lab.application(true);
  lab.server.create(split);
  lab.server.create(aModelCanary(plan, { provider: 'smi:v1alpha2' }));
  lab.start();
  await lab.pass(60_000);
  expect(accepted(lab)).toMatchObject({
    ...{ status: 'False', reason: 'EndpointsWouldBeLost', field: 'metadata.name' },
    message: expect.stringMatching(/^TrafficSplit podinfo: metadata\.name is that of the TrafficSplit that Serin makes/),
  });
  expect(made(lab)).toEqual([]);
  lab.server.delete(canaryRef);
  expect(await lab.passUntil(() => lab.canary() === undefined, 300_000)).toBe(true);
  await lab.pass(60_000);
  expect(raw(lab.server.find({ apiVersion: split.apiVersion, kind: split.kind, name: APP, namespace: NAMESPACE }))?.spec).toEqual(
    split.spec,
  );
});
