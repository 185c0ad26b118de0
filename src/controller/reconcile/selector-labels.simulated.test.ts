import { expect, it, vi } from 'vitest';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { APP, aDeployment, aModelCanary, type ModelLab, NAMESPACE, primaryRef, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject, Labels } from '../../api/kube-object.ts';
import { acceptAnnotation } from '../../api/names.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const NAME = 'app.kubernetes.io/name';
const both = { app: APP, [NAME]: APP };
const otherFlag = { selectorLabels: [NAME, 'app'] };

function labelled(labels: Labels, version = '1'): KubeObject {
  const deployment = raw(aDeployment(version));
  deployment.spec.selector.matchLabels = labels;
  deployment.spec.template.metadata.labels = labels;
  return deployment;
}

async function initialized(labels: Labels): Promise<ModelLab> {
  const { lab } = labOf({ seed: 7, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  lab.server.create(labelled(labels));
  const ports = [{ name: 'http', port: 80, targetPort: 'http' }];
  lab.server.create({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: APP, namespace: NAMESPACE },
    spec: { selector: { app: APP }, ports },
  });
  await lab.pass(30_000);
  lab.watched = true;
  await initialize(lab, aModelCanary({ stepWeight: 10, maxWeight: 50 }, { progressDeadlineSeconds: 120 }));
  return lab;
}

const weightOf = (lab: ModelLab) => raw(lab.canary())?.status?.canaryWeight;
const selectorOf = (lab: ModelLab, name: string) =>
  raw(lab.server.find({ apiVersion: 'v1', kind: 'Service', name, namespace: NAMESPACE }))?.spec.selector;
const selectors = (lab: ModelLab) => [APP, `${APP}-primary`, `${APP}-canary`].map((name) => selectorOf(lab, name));
const byApp = [{ app: `${APP}-primary` }, { app: `${APP}-primary` }, { app: APP }];
/** Services select no pods of others that have one of the labels. */
const byBoth = byApp.map((labels) => ({ ...both, ...labels }));

async function midRelease(lab: ModelLab): Promise<void> {
  lab.push('2');
  expect(await lab.passUntil(() => weightOf(lab) === 10, 120_000)).toBe(true);
}

it('I14: other --selector-labels change nothing of a Canary whose primary serves, and its next release ends', async () => {
  const lab = await initialized(both);
  lab.kill();
  lab.start(() => true, otherFlag);
  await lab.pass(60_000);
  expect([selectors(lab), lab.lost]).toEqual([byBoth, []]);
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  expect([selectors(lab), lab.lost]).toEqual([byBoth, []]);
});

it('I8, I17: Services that an earlier Serin made select by one label stay so at rest, and are narrowed before a release has users', async () => {
  const lab = await initialized(both);
  await lab.pass(60_000);
  lab.kill();
  for (const name of [APP, `${APP}-primary`, `${APP}-canary`])
    lab.server.patch({ apiVersion: 'v1', kind: 'Service', name, namespace: NAMESPACE }, { spec: { selector: { [NAME]: null } } });
  const before = lab.writes.length;
  lab.start();
  await lab.pass(120_000);
  expect([selectors(lab), lab.writes.slice(before)]).toEqual([byApp, []]);
  await midRelease(lab);
  expect(selectors(lab)).toEqual(byBoth);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  await lab.pass(60_000);
  expect([selectors(lab), lab.lost]).toEqual([byBoth, []]);
});

it.each([APP, `${APP}-primary`, `${APP}-canary`])(
  'I14: the selector of %s that is edited down to the one label is healed at rest',
  async (name) => {
    const lab = await initialized(both);
    await lab.pass(60_000);
    lab.server.patch({ apiVersion: 'v1', kind: 'Service', name, namespace: NAMESPACE }, { spec: { selector: { [NAME]: null } } });
    expect(selectors(lab)).not.toEqual(byBoth);
    await lab.pass(30_000);
    expect([selectors(lab), lab.lost]).toEqual([byBoth, []]);
  },
);

it('I14: the same in the middle of a release', async () => {
  const lab = await initialized(both);
  await midRelease(lab);
  lab.kill();
  lab.start(() => true, otherFlag);
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  expect([selectors(lab), lab.lost]).toEqual([byBoth, []]);
});

it('I14: --selector-labels that no longer name a label of the target follow the primary, also at deletion', async () => {
  const lab = await initialized({ app: APP });
  lab.kill();
  lab.start(() => true, { selectorLabels: [NAME] });
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  lab.server.delete({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace: NAMESPACE });
  expect(await lab.passUntil(() => lab.server.find(primaryRef) === undefined, 300_000)).toBe(true);
  expect([selectorOf(lab, APP), lab.lost]).toEqual([{ app: APP }, []]);
});

it('I14: a primary that was deleted comes back with its selector, under other --selector-labels', async () => {
  const lab = await initialized(both);
  lab.kill();
  lab.start(() => true, otherFlag);
  lab.watched = false;
  lab.server.delete(primaryRef);
  await lab.pass(60_000);
  const { selector, template } = raw(lab.server.find(primaryRef))?.spec ?? {};
  expect(template?.metadata.labels).toMatchObject(selector?.matchLabels ?? { none: 'made' });
  expect(lab.answering()).toEqual([`${APP}-primary`]);
});

it.each([
  { when: 'while idle', begin: async () => undefined },
  { when: 'in the middle of a release', begin: midRelease },
])(
  'E95, I14: a target that was created again $when without the label of the primary gets no traffic; the release fails and names it',
  async ({ begin }) => {
    const lab = await initialized({ app: APP });
    await begin(lab);
    // Pods that are gone while a step leads to them are the user's doing: what follows is not.
    lab.watched = false;
    lab.server.delete(targetRef);
    lab.server.create(labelled({ [NAME]: APP }, '3'));
    await lab.pass(15_000);
    lab.watched = true;
    await lab.pass(30_000);
    expect([lab.phase(), weightOf(lab), selectors(lab)]).toEqual(['Progressing', 0, byApp]);
    expect(raw(lab.canary())?.status.conditions[0].message).toMatch(/spec\.selector\.matchLabels.*\bapp\b.*podinfo-primary/);
    expect(await lab.passUntil(() => lab.phase() === 'Failed', 300_000)).toBe(true);
    await lab.pass(60_000);
    expect([selectors(lab), lab.lost, lab.answering()]).toEqual([byApp, [], [`${APP}-primary`]]);
    // To release the same once more helps no one.
    expect(raw(lab.canary())?.status.release.ending).toMatchObject({ code: 'TargetUnreachable', field: 'spec.selector.matchLabels.app' });
    expect(raw(lab.canary())?.status.conditions[0].message).not.toContain('serin retry');
    // Nothing of it was promoted (I19).
    lab.server.patch(targetRef, { metadata: { annotations: { [acceptAnnotation]: raw(lab.canary())?.status.release.revision } } });
    lab.server.delete({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace: NAMESPACE });
    expect(await lab.passUntil(() => lab.server.find(primaryRef) === undefined, 300_000)).toBe(true);
    expect([selectorOf(lab, APP), lab.lost]).toEqual([{ [NAME]: APP }, []]);
  },
);

it('I14: a target that was created again with another value of the label is released beside its primary', async () => {
  const lab = await initialized({ app: APP, tier: 'web' });
  lab.server.delete(targetRef);
  lab.server.create(labelled({ app: 'shop' }, '2'));
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  const ofPrimary = { app: `${APP}-primary`, tier: 'web' };
  expect(selectors(lab)).toEqual([ofPrimary, ofPrimary, { app: 'shop' }]);
  expect(raw(lab.server.find(primaryRef))?.spec.template.metadata.labels).toEqual({ app: `${APP}-primary`, tier: 'web' });
  expect(lab.lost).toEqual([]);
});
