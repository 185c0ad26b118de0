import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const serviceRef = (name: string) => ({ apiVersion: 'v1', kind: 'Service', name, namespace: NAMESPACE });

/** Idle on its primary. */
async function resting(before: (lab: ModelLab) => Promise<void> | void = () => undefined, service: object = {}): Promise<ModelLab> {
  const lab = await labWithApp();
  await before(lab);
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }, { service: { port: 80, targetPort: 'http', ...service } }));
  lab.start();
  const isAtRest = () => lab.phase() === 'Initialized' && raw(lab.server.find(targetRef))?.spec.replicas === 0;
  expect(await lab.passUntil(isAtRest, 120_000)).toBe(true);
  await lab.pass(10_000);
  return lab;
}

it('ports, selector and our metadata of a Service are put back, and additions of others stay', async () => {
  const lab = await resting();
  // The canary's, which has no requests to lose while idle.
  const ref = serviceRef(`${APP}-canary`);
  const made = lab.server.find(ref);
  lab.server.patch(ref, {
    metadata: {
      labels: { theirs: 'a', app: 'changed' },
      annotations: { theirs: 'b', 'kustomize.toolkit.fluxcd.io/reconcile': null },
    },
    spec: { selector: { app: 'theirs' }, ports: [{ name: 'renamed', port: 80, targetPort: 9 }], publishNotReadyAddresses: true },
  });
  await lab.pass(10_000);
  const healed = lab.server.find(ref);
  expect(healed?.spec).toEqual({ ...raw(made)?.spec, publishNotReadyAddresses: true });
  expect(healed?.metadata.labels).toEqual({ ...made?.metadata.labels, theirs: 'a' });
  expect(healed?.metadata.annotations).toEqual({ ...made?.metadata.annotations, theirs: 'b' });
  expect(lab.lost).toEqual([]);
});

it('another service.name makes other Services, and those of the former one stay until the Canary goes; clients of either lose nothing', async () => {
  const lab = await resting();
  lab.server.patch(canaryRef, { spec: { service: { name: 'other' } } });
  await lab.pass(30_000);
  const selected = (name: string) => raw(lab.server.find(serviceRef(name)))?.spec.selector.app;
  expect(['other', 'other-primary', 'other-canary'].map(selected)).toEqual([`${APP}-primary`, `${APP}-primary`, APP]);
  expect([APP, `${APP}-primary`, `${APP}-canary`].map(selected)).toEqual([`${APP}-primary`, `${APP}-primary`, APP]);
  lab.server.delete(canaryRef);
  await lab.pass(120_000);
  expect([`${APP}-primary`, `${APP}-canary`, 'other-primary', 'other-canary', 'other', APP].map(selected)).toEqual([
    ...[undefined, undefined, undefined, undefined],
    ...[APP, APP],
  ]);
  expect([lab.answering(), lab.lost]).toEqual([[APP], []]);
});

it('after several changes of service.name the Services between are also restored, made by Serin or found in place', async () => {
  const lab = await resting();
  const ports = [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }];
  const metadata = { name: 'found', namespace: NAMESPACE, annotations: { note: 'mine' } };
  lab.server.create({ apiVersion: 'v1', kind: 'Service', metadata, spec: { type: 'ClusterIP', selector: { app: APP }, ports } });
  const theirs = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'theirs', namespace: NAMESPACE } };
  lab.server.create({ ...theirs, spec: { type: 'ClusterIP', selector: { app: `${APP}-primary` }, ports } });
  for (const name of ['made', 'found', 'last']) {
    lab.server.patch(canaryRef, { spec: { service: { name } } });
    await lab.pass(30_000);
  }
  const selected = (name: string) => raw(lab.server.find(serviceRef(name)))?.spec.selector.app;
  expect([APP, 'made', 'found', 'last'].map(selected)).toEqual(Array(4).fill(`${APP}-primary`));
  lab.server.delete(canaryRef);
  await lab.pass(120_000);
  expect([APP, 'made', 'found', 'last'].map(selected)).toEqual(Array(4).fill(APP));
  expect(lab.server.find(serviceRef('found'))?.metadata.annotations).toEqual({ note: 'mine' });
  expect(selected('theirs')).toBe(`${APP}-primary`);
  expect(['made-primary', 'made-canary', 'found-primary', 'found-canary'].map(selected)).toEqual(Array(4).fill(undefined));
  expect([lab.answering(), lab.lost]).toEqual([[APP], []]);
});

it('a Service that was found in place is restored to its original, after any write of Serin', async () => {
  const before = {
    metadata: { labels: { team: 'shop', app: 'frontend' }, annotations: { note: 'mine' } },
    spec: {
      selector: { app: APP, tier: 'web' },
      ports: [
        { name: 'http', port: 80, targetPort: 'http' },
        { name: 'admin', port: 81, targetPort: 9899 },
      ],
    },
  };
  const lab = await resting(async (one) => {
    one.server.patch(targetRef, { spec: { template: { metadata: { labels: { tier: 'web' } } } } });
    await one.pass(20_000);
    one.server.patch(serviceRef(APP), before);
  });
  expect(raw(lab.server.find(serviceRef(APP)))?.spec.selector).toEqual({ app: `${APP}-primary` });
  lab.server.delete(canaryRef);
  await lab.pass(120_000);
  const after = lab.server.find(serviceRef(APP));
  expect([after?.metadata.labels, after?.metadata.annotations]).toEqual([before.metadata.labels, before.metadata.annotations]);
  expect(raw(after)?.spec.selector).toEqual(before.spec.selector);
  expect(raw(after)?.spec.ports).toMatchObject(before.spec.ports);
  expect([lab.answering(), lab.lost]).toEqual([[APP], []]);
});

it('the Canary’s port name under another number is replaced in one write, and no port of the user’s Service is lost', async () => {
  const found = [
    { name: 'http', port: 8080, targetPort: 'http', protocol: 'TCP' },
    { name: 'metrics', port: 9090, targetPort: 9898, protocol: 'TCP' },
  ];
  const lab = await resting((one) => void one.server.patch(serviceRef(APP), { spec: { ports: found } }), { portName: 'http' });
  const wanted = [
    { name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' },
    { name: 'http-8080-tcp', port: 8080, targetPort: 'http', protocol: 'TCP' },
    { name: 'metrics', port: 9090, targetPort: 9898, protocol: 'TCP' },
  ];
  expect(raw(lab.server.find(serviceRef(APP)))?.spec.ports).toEqual(wanted);
  const ref = serviceRef(`${APP}-canary`);
  lab.server.patch(ref, { spec: { selector: { tier: 'b' }, ports: [{ name: 'http', port: 81, targetPort: 9, protocol: 'TCP' }] } });
  const before = lab.writes.length;
  await lab.pass(10_000);
  expect(lab.writes.slice(before).map(({ verb, ref: { kind, name } }) => `${verb} ${kind} ${name}`)).toEqual([
    `patch Service ${APP}-canary`,
    expect.stringMatching(/^create Event /),
  ]);
  const { selector, ports } = raw(lab.server.find(ref))?.spec ?? {};
  expect([selector, ports]).toEqual([{ app: APP }, wanted]);
  expect(lab.lost).toEqual([]);
});
