import { expect, it, vi } from 'vitest';
import { APP, aDeployment, aModelCanary, canaryRef, type ModelLab, NAMESPACE, targetRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { GRACE_MS, serviceRef } from '../../../test/fakes/model/uninstalling.ts';
import { raw } from '../../../test/fakes/raw.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const WEB = { name: 'web', port: 8080, protocol: 'TCP', targetPort: 'http' };
const METRICS = { name: 'metrics', containerPort: 9797 };
const service = { port: 80, portName: 'http-shop', targetPort: 'http', portDiscovery: true };
const ingress = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'shop', namespace: NAMESPACE },
  spec: {
    rules: [
      {
        host: 'shop.example.org',
        http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: APP, port: { number: 80 } } } }] },
      },
    ],
  },
};

/** An application whose Service has a port of its own only, under a Canary that adds others. */
async function initialized(spec: object): Promise<ModelLab> {
  const { lab } = labOf({ seed: 7, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  const deployment = raw(aDeployment('1'));
  deployment.spec.template.spec.containers[0].ports.push(METRICS);
  lab.server.create(deployment as never);
  lab.server.create(ingress);
  const metadata = { name: APP, namespace: NAMESPACE };
  lab.server.create({ apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: { app: APP }, ports: [WEB] } });
  await lab.pass(20_000);
  lab.server.create(aModelCanary({ iterations: 2 }, { service, ...spec }));
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
  await lab.pass(30_000);
  expect(numbers(lab)).toEqual([80, 8080, 9797]);
  return lab;
}

const portsOf = (lab: ModelLab): { port: number }[] => raw(lab.server.find(serviceRef))?.spec.ports;
const numbers = (lab: ModelLab) =>
  portsOf(lab)
    .map(({ port }) => port)
    .toSorted((a, b) => a - b);

const ends = [
  { end: 'a deletion', spec: {} },
  { end: 'a deletion with revertOnDeletion', spec: { revertOnDeletion: true } },
];

it.each(ends)('after $end the Service of the user has its own ports again', async ({ spec }) => {
  for (const provider of ['istio', 'kubernetes']) {
    const lab = await initialized({ ...spec, provider });
    lab.server.delete(canaryRef);
    await lab.pass(GRACE_MS);
    expect(portsOf(lab)).toEqual([WEB]);
  }
});

it('after an uninstall too', async () => {
  const lab = await initialized({});
  lab.server.delete(canaryRef);
  lab.server.delete(targetRef);
  await lab.pass(GRACE_MS + 120_000);
  expect(portsOf(lab)).toEqual([WEB]);
});

it('a port that the user has added meanwhile stays', async () => {
  const lab = await initialized({});
  const added = { name: 'admin', port: 81, protocol: 'TCP', targetPort: 9898 };
  lab.server.patch(serviceRef, { spec: { ports: [...portsOf(lab), added] } });
  await lab.pass(30_000);
  lab.server.delete(canaryRef);
  await lab.pass(GRACE_MS);
  expect(portsOf(lab)).toEqual([WEB, added]);
});

it.each([
  { what: 'a route that stays names', spec: { provider: 'contour' } },
  {
    what: "the user's Ingress names",
    spec: { provider: 'nginx', ingressRef: { apiVersion: ingress.apiVersion, kind: 'Ingress', name: 'shop' } },
  },
])('the port that $what stays', async ({ spec }) => {
  const lab = await initialized(spec);
  lab.server.delete(canaryRef);
  await lab.pass(GRACE_MS);
  expect(numbers(lab)).toEqual([80, 8080]);
});
