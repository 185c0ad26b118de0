import { describe, expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { awaitEnd, release } from '../../../test/fakes/model/released.ts';
import { type Raw, raw } from '../../../test/fakes/raw.ts';
import { fluxOff } from '../../api/names.ts';
import { internalWrite } from '../../embedded/apiserver/write-context.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const ref = { apiVersion: 'v1', kind: 'Service', name: APP, namespace: NAMESPACE };
const http = { name: 'http', port: 80, targetPort: 'http' };
const admin = { name: 'admin', port: 9000, targetPort: 'http' };
const manifest = (spec: object, metadata: object = {}) => ({
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: APP, namespace: NAMESPACE, ...metadata } },
  spec,
});
const liveIn = (lab: ModelLab): Raw => raw(lab.server.find(ref));
const portsOf = (lab: ModelLab): number[] => liveIn(lab).spec.ports.map(({ port }: Raw) => port);

/** `kubectl apply --server-side`, without force. */
function applied(lab: ModelLab, spec: object, metadata: object = {}): void {
  const context = { ...internalWrite, manager: 'kubectl', fieldManager: 'kubectl', force: false };
  lab.server.api.patch(lab.server.resource('v1', 'Service'), NAMESPACE, APP, 'apply', manifest(spec, metadata) as never, context);
}

/** A Canary over a Service that its user applies. */
async function arrived(spec: object, service: object = {}, metadata: object = {}): Promise<ModelLab> {
  const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: false });
  await lab.application(false);
  applied(lab, spec, metadata);
  await lab.pass(20_000);
  lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }, { service: { port: 80, targetPort: 'http', ...service } }));
  lab.start();
  await awaitEnd(lab, 'Initialized');
  return lab;
}

it('server-side applies of its user meet no conflict but in the selector', async () => {
  const lab = await arrived({ selector: { app: APP }, type: 'ClusterIP', ports: [http] });
  applied(lab, { type: 'LoadBalancer', ports: [{ ...http, appProtocol: 'http' }] });
  await lab.pass(30_000);
  expect(liveIn(lab).spec).toMatchObject({ type: 'LoadBalancer', ports: [{ appProtocol: 'http' }], selector: { app: `${APP}-primary` } });
  expect(() => applied(lab, { selector: { app: APP }, ports: [http] })).toThrow(/conflict with "serin".*\.spec\.selector/s);
});

it('a port that its user takes from the manifest goes', async () => {
  const lab = await arrived({ selector: { app: APP }, ports: [http, admin] });
  await release(lab, '2');
  expect(portsOf(lab)).toEqual([80, 9000]);
  applied(lab, { ports: [http] });
  await lab.pass(60_000);
  expect(portsOf(lab)).toEqual([80]);
});

describe('after the Canary is gone', () => {
  const gone = async (lab: ModelLab): Promise<Raw> => {
    lab.server.delete(canaryRef);
    const primary = { apiVersion: 'apps/v1', kind: 'Deployment', name: `${APP}-primary`, namespace: NAMESPACE };
    expect(await lab.passUntil(() => lab.server.find(primary) === undefined, 300_000)).toBe(true);
    await lab.pass(30_000);
    lab.close();
    return liveIn(lab);
  };

  it('a port, label or annotation that its user has taken from the server-side manifest meanwhile does not come back', async () => {
    const [off] = Object.entries(fluxOff);
    const lab = await arrived(
      { selector: { app: APP }, ports: [http, admin] },
      {},
      { labels: { app: 'web' }, annotations: Object.fromEntries([off ?? []]) },
    );
    applied(lab, { ports: [http] });
    await lab.pass(60_000);
    const { spec, metadata } = await gone(lab);
    expect([spec.ports.map(({ port }: Raw) => port), spec.selector]).toEqual([[80], { app: APP }]);
    expect([metadata.labels ?? {}, metadata.annotations ?? {}]).toEqual([{}, {}]);
  });

  it('a label whose value its user has changed meanwhile stays, with any writer', async () => {
    const lab = await arrived({ selector: { app: APP }, ports: [http] }, {}, { labels: { app: 'web' } });
    lab.server.patch(ref, { metadata: { labels: { app: 'front' } } });
    await lab.pass(60_000);
    expect((await gone(lab)).metadata.labels).toEqual({ app: 'front' });
  });
});

it('loses fields that the Canary no longer requests, and keeps those of its user', async () => {
  const asked = { apex: { labels: { team: 'a' }, annotations: { note: 'b' } }, trafficDistribution: 'PreferClose' };
  const lab = await arrived({ selector: { app: APP }, ports: [http], sessionAffinity: 'ClientIP' }, asked);
  expect(liveIn(lab)).toMatchObject({
    metadata: { labels: { team: 'a' }, annotations: { note: 'b' } },
    spec: { trafficDistribution: 'PreferClose' },
  });
  lab.server.patch(canaryRef, { spec: { service: { apex: null, trafficDistribution: null } } });
  await lab.pass(60_000);
  await release(lab, '2');
  const { metadata, spec } = liveIn(lab);
  expect([metadata.labels?.team, metadata.annotations?.note, spec.trafficDistribution]).toEqual(Array.from({ length: 3 }));
  expect(spec.sessionAffinity).toBe('ClientIP');
});
