import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { KubeObject } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const istio = 'networking.istio.io/v1beta1';
const SIDES = [`${APP}-primary`, `${APP}-canary`];
const tls = { tls: { mode: 'SIMPLE' } };
const both = (value: unknown) => [value, value];
const ruleRef = (name: string, namespace = NAMESPACE) => ({ apiVersion: istio, kind: 'DestinationRule', name, namespace });
const aRule = (host: string, { namespace = NAMESPACE, ...spec }: Record<string, unknown> & { namespace?: string } = {}): KubeObject => ({
  apiVersion: istio,
  kind: 'DestinationRule',
  metadata: { name: 'theirs', namespace },
  spec: { host, trafficPolicy: tls, ...spec },
});
const policies = (lab: ModelLab) => SIDES.map((name) => raw(lab.server.find(ruleRef(name)))?.spec.trafficPolicy);

async function resting(rule: KubeObject): Promise<ModelLab> {
  const lab = await labWithApp();
  if (rule.metadata.namespace !== NAMESPACE)
    lab.server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: rule.metadata.namespace ?? '' } });
  lab.server.create(rule);
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }));
  lab.start();
  const isAtRest = () => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0;
  expect(await lab.passUntil(isAtRest, 120_000)).toBe(true);
  await lab.pass(10_000);
  return lab;
}

it('I17: the DestinationRule of the apex holds for both sides before traffic goes there, its edits follow, and deletion leaves it unmodified', async () => {
  const lab = await resting(aRule(APP));
  expect(policies(lab)).toEqual(both(tls));
  const kinds = lab.writes
    .filter(({ ref: { kind } }) => ['DestinationRule', 'VirtualService'].includes(kind))
    .map(({ ref: { kind } }) => kind);
  expect(kinds.slice(0, 3)).toEqual(['DestinationRule', 'DestinationRule', 'VirtualService']);
  const ejecting = { outlierDetection: { consecutive5xxErrors: 3 } };
  lab.server.patch(ruleRef('theirs'), { spec: { trafficPolicy: { tls: null, ...ejecting } } });
  await lab.pass(10_000);
  expect(policies(lab)).toEqual(both(ejecting));
  lab.server.delete(ruleRef('theirs'));
  await lab.pass(10_000);
  expect(policies(lab)).toEqual(both(undefined));
  lab.server.create(aRule(`${APP}.${NAMESPACE}.svc.cluster.local`));
  await lab.pass(10_000);
  expect(policies(lab)).toEqual(both(tls));
  const before = lab.writes.length;
  await lab.pass(300_000);
  expect(lab.writes.slice(before)).toEqual([]);
  expect(JSON.stringify(lab.writes)).not.toMatch(/Contested|DriftCorrected/);
  const theirs = lab.server.find(ruleRef('theirs'));
  const deletedAt = lab.writes.length;
  lab.server.delete(canaryRef);
  await lab.pass(120_000);
  const rules = lab.writes.slice(deletedAt).filter(({ ref: { kind } }) => kind === 'DestinationRule');
  expect(rules.map(({ verb }) => verb)).toEqual(['delete', 'delete']);
  expect(SIDES.map((name) => lab.server.find(ruleRef(name)))).toEqual(both(undefined));
  expect(lab.server.find(ruleRef('theirs'))).toEqual(theirs);
  expect(lab.lost).toEqual([]);
});

it('I17: a rule of the root namespace for all hosts is not hidden, and a rule that went while Serin was down goes', async () => {
  const lab = await resting(aRule('*.local', { namespace: 'istio-system' }));
  expect(policies(lab)).toEqual(both(tls));
  lab.kill();
  lab.start();
  await lab.pass(60_000);
  expect(lab.writes).toEqual([]);
  lab.kill();
  lab.server.delete(ruleRef('theirs', 'istio-system'));
  lab.start();
  await lab.pass(60_000);
  expect(policies(lab)).toEqual(both(undefined));
  expect(JSON.stringify(lab.writes)).not.toMatch(/Contested|DriftCorrected/);
});

it('I17: a route of the user’s that leads to a subset is refused before anything is written', async () => {
  const lab = await labWithApp();
  const route = {
    apiVersion: istio,
    kind: 'VirtualService',
    metadata: { name: APP, namespace: NAMESPACE },
    spec: { hosts: [APP], http: [{ route: [{ destination: { host: APP, subset: 'v1' } }] }] },
  };
  lab.server.create(route);
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }));
  lab.start();
  await lab.pass(120_000);
  expect(lab.phase()).toBe('Initializing');
  const accepted = raw(lab.canary()).status.conditions.find(({ type }: { type: string }) => type === 'Accepted');
  expect(accepted).toMatchObject({
    reason: 'EndpointsWouldBeLost',
    message: expect.stringMatching(/^VirtualService podinfo: .*subset v1/),
  });
  expect(lab.writes.map(({ ref: { kind } }) => kind).filter((kind) => kind !== 'Canary' && kind !== 'Event')).toEqual([]);
  expect(lab.server.find({ ...ruleRef(APP), kind: 'VirtualService' })?.spec).toEqual(route.spec);
  // It is not the user's to accept: a rule of theirs that is split has no subset left, also once the Canary is gone.
  lab.server.patch({ ...ruleRef(APP), kind: 'VirtualService' }, { metadata: { annotations: { 'serin.dev/arrival-loss': 'accepted' } } });
  await lab.pass(120_000);
  expect(lab.phase()).toBe('Initializing');
  const http = [{ route: [{ destination: { host: APP } }] }];
  lab.server.patch({ ...ruleRef(APP), kind: 'VirtualService' }, { spec: { http } });
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 600_000)).toBe(true);
  expect(lab.lost).toEqual([]);
});
