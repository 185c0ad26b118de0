import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const PROTOCOL = 'projectcontour.io/upstream-protocol.h2c';
const WAYPOINT = 'istio.io/use-waypoint';
const SIDES = [`${APP}-primary`, `${APP}-canary`];
const serviceRef = (name: string) => ({ apiVersion: 'v1', kind: 'Service', name, namespace: NAMESPACE });
const found = {
  metadata: {
    annotations: { [PROTOCOL]: 'web', 'argocd.argoproj.io/tracking-id': 'shop:/Service:test/podinfo', note: 'mine' },
    labels: { [WAYPOINT]: 'shops', team: 'shop' },
  },
  spec: {
    ports: [
      { name: 'web', port: 80, targetPort: 'http', protocol: 'TCP', appProtocol: 'kubernetes.io/h2c' },
      { name: 'admin', port: 81, targetPort: 9899, protocol: 'TCP' },
    ],
  },
};

async function resting(): Promise<ModelLab> {
  const lab = await labWithApp();
  lab.server.patch(serviceRef(APP), found);
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }));
  lab.start();
  const isAtRest = () => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0;
  expect(await lab.passUntil(isAtRest, 120_000)).toBe(true);
  await lab.pass(10_000);
  return lab;
}

const termsOf = (lab: ModelLab, name: string) => {
  const { metadata, spec } = raw(lab.server.find(serviceRef(name)));
  return { protocol: metadata.annotations?.[PROTOCOL], waypoint: metadata.labels?.[WAYPOINT], ports: spec.ports };
};
/** Reasons of the events that say that another writer has changed our objects. */
const contests = (lab: ModelLab) =>
  lab.writes.filter(({ ref, body }) => ref.kind === 'Event' && /Contested|DriftCorrected/.test(JSON.stringify(body)));

it('I17: a Service that is found in place keeps its ports, and the Services of both sides have its terms', async () => {
  const lab = await resting();
  for (const name of [APP, ...SIDES]) expect(termsOf(lab, name)).toEqual({ protocol: 'web', waypoint: 'shops', ports: found.spec.ports });
  for (const name of SIDES) expect(JSON.stringify(lab.server.find(serviceRef(name))?.metadata)).not.toMatch(/argoproj|mine|team/);
  lab.server.delete(canaryRef);
  await lab.pass(120_000);
  const { metadata, spec } = raw(lab.server.find(serviceRef(APP)));
  expect([metadata.annotations, metadata.labels, spec.ports]).toEqual([
    found.metadata.annotations,
    found.metadata.labels,
    found.spec.ports,
  ]);
  expect(lab.lost).toEqual([]);
});

it('I17, I18: a later edit of the Service reaches both sides, and is contested by no one', async () => {
  const lab = await resting();
  const ports = [{ name: 'api', port: 80, targetPort: 'http', protocol: 'TCP', appProtocol: 'http' }];
  lab.server.patch(serviceRef(APP), { metadata: { annotations: { [PROTOCOL]: 'api' }, labels: { [WAYPOINT]: null } }, spec: { ports } });
  await lab.pass(30_000);
  for (const name of [APP, ...SIDES]) expect(termsOf(lab, name)).toEqual({ protocol: 'api', waypoint: undefined, ports });
  lab.server.patch(serviceRef(APP), { metadata: { annotations: { [PROTOCOL]: null } } });
  await lab.pass(30_000);
  for (const name of SIDES) expect(termsOf(lab, name).protocol).toBeUndefined();
  const before = lab.writes.length;
  await lab.pass(300_000);
  expect(lab.writes.slice(before)).toEqual([]);
  expect([contests(lab), lab.lost]).toEqual([[], []]);
});

it('I17, I8: an edit while Serin is down reaches both sides, and a restart without one writes nothing', async () => {
  const lab = await resting();
  lab.kill();
  lab.start();
  await lab.pass(60_000);
  expect(lab.writes).toEqual([]);
  lab.kill();
  lab.server.patch(serviceRef(APP), { metadata: { annotations: { [PROTOCOL]: null }, labels: { [WAYPOINT]: null } } });
  lab.start();
  await lab.pass(60_000);
  for (const name of SIDES) expect(termsOf(lab, name)).toMatchObject({ protocol: undefined, waypoint: undefined });
  expect([contests(lab), lab.lost]).toEqual([[], []]);
});
