import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';

vi.setConfig({ testTimeout: 60_000 });

const rootOf = (port: number) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'storefront', namespace: NAMESPACE },
  spec: { selector: { app: APP }, ports: [{ name: 'http', port }] },
});
const warnings = (lab: ModelLab) =>
  lab.writes.flatMap(({ ref, body }) =>
    ref.kind === 'Event' && JSON.stringify(body).includes('RouteWarning') ? [JSON.parse(JSON.stringify(body))] : [],
  );

async function initialized(port: number): Promise<ModelLab> {
  const lab = await labWithApp(3);
  lab.server.create(rootOf(port));
  lab.server.create(
    aModelCanary({ stepWeight: 50 }, { provider: 'smi:v1alpha2', service: { port: 80, targetPort: 'http', hosts: ['storefront'] } }),
  );
  lab.start();
  expect(await lab.passUntil(() => lab.phase() === 'Initialized', 120_000)).toBe(true);
  await lab.pass(60_000);
  return lab;
}

it('a port of the root that the backends lack is reported once, by a warning on the TrafficSplit', async () => {
  const lab = await initialized(8080);
  expect(warnings(lab)).toMatchObject(
    ['canary', 'primary'].map((side) => ({
      type: 'Warning',
      involvedObject: { kind: 'TrafficSplit', name: APP, namespace: NAMESPACE },
      message: expect.stringMatching(new RegExp(`${APP}-${side}.* port 8080`)),
    })),
  );
});

it('a split whose ports agree causes no warning', async () => {
  const lab = await initialized(80);
  expect(warnings(lab)).toEqual([]);
});
