import { expect, it, vi } from 'vitest';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { CanaryCondition } from '../../api/canary-status.ts';
import type { KubeObject } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const plan = { stepWeight: 25, maxWeight: 50 };
const serviceRef = { apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE };
const accepted = (lab: ModelLab): CanaryCondition | undefined =>
  raw(lab.canary())?.status?.conditions?.find(({ type }: CanaryCondition) => type === 'Accepted');
const made = (lab: ModelLab) =>
  lab.writes.map(({ verb, ref: { kind, name } }) => `${verb} ${kind} ${name}`).filter((one) => !/Event|Canary/.test(one));

async function application(): Promise<ModelLab> {
  const lab = await labWithApp();
  // No controller of the model keeps slices.
  lab.server.create({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: APP, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': APP } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 9898, protocol: 'TCP' }],
    endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: true } }],
  } as KubeObject);
  return lab;
}

async function initialized(): Promise<ModelLab> {
  const lab = await application();
  await initialize(lab, aModelCanary(plan, { progressDeadlineSeconds: 120 }));
  return lab;
}

it.each([
  { title: 'a port that the pods do not have', edit: { targetPort: 'web' }, field: 'spec.service.targetPort' },
  { title: 'a number that no container declares', edit: { targetPort: 8080 }, field: 'spec.service.targetPort' },
  { title: 'headless over a cluster IP', edit: { headless: true }, field: 'spec.service.headless' },
])('I14: $title is refused before anything is written, and goes on once it is corrected', async ({ edit, field }) => {
  const lab = await application();
  const before = lab.server.find(serviceRef);
  lab.server.create(aModelCanary(plan, { service: { port: 80, targetPort: 'http', ...edit } }));
  lab.start();
  await lab.pass(60_000);
  expect(accepted(lab)).toMatchObject({ status: 'False', reason: 'InvalidSpec', message: expect.stringContaining(`${field}: `) });
  expect([lab.server.find(serviceRef), made(lab)]).toEqual([before, []]);
  lab.server.patch(canaryRef, { spec: { service: { targetPort: 'http', headless: false } } });
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  expect([accepted(lab), lab.lost]).toEqual([undefined, []]);
});

it('I14, E65: an edit to a port that the primary lacks writes no Service, and the release follows the previous spec, also after a restart', async () => {
  const lab = await initialized();
  lab.push('2');
  const isStepped = () => raw(lab.canary())?.status?.canaryWeight === 25;
  expect(await lab.passUntil(isStepped, 60_000)).toBe(true);
  const before = lab.server.find(serviceRef)?.spec;
  lab.server.patch(canaryRef, { spec: { service: { targetPort: 'web' } } });
  await lab.pass(30_000);
  expect([lab.server.find(serviceRef)?.spec, isStepped()]).toEqual([before, true]);
  expect(accepted(lab)?.message).toContain('spec.service.targetPort');
  lab.kill();
  lab.start();
  await lab.pass(30_000);
  expect([lab.server.find(serviceRef)?.spec, accepted(lab)?.status]).toEqual([before, 'False']);
  lab.server.patch(canaryRef, { spec: { service: { targetPort: 'http' } } });
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 120_000)).toBe(true);
  expect([accepted(lab), lab.lost]).toEqual([undefined, []]);
});

it('E95: a revision that has lost the port gets no traffic and fails at the deadline; the condition names the field', async () => {
  const lab = await initialized();
  const ports = [{ name: 'web', containerPort: 9898 }];
  const template = { spec: { containers: [{ name: 'web', image: '2', ports }] } };
  lab.server.patch(targetRef, { spec: { template } });
  await lab.pass(60_000);
  const { phase, canaryWeight, conditions } = raw(lab.canary())?.status ?? {};
  expect([phase, canaryWeight]).toEqual(['Progressing', 0]);
  expect(conditions[0].message).toMatch(/spec\.service\.targetPort: .*"http".*web 9898\/TCP/);
  expect(await lab.passUntil(() => lab.phase() === 'Failed', 120_000)).toBe(true);
  await lab.pass(30_000);
  expect(lab.lost).toEqual([]);
});
