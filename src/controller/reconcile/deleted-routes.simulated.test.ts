import { expect, it, vi } from 'vitest';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { APP, aModelCanary, canaryRef, type ModelLab, NAMESPACE } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';

vi.setConfig({ testTimeout: 60_000 });

const namespace = NAMESPACE;
const routes = [
  { provider: 'istio', ref: { apiVersion: 'networking.istio.io/v1beta1', kind: 'VirtualService', name: APP, namespace } },
  { provider: 'smi:v1alpha2', ref: { apiVersion: 'split.smi-spec.io/v1alpha2', kind: 'TrafficSplit', name: APP, namespace } },
] as const;

async function initialized(provider: string): Promise<ModelLab> {
  const lab = await labWithApp();
  await initialize(lab, aModelCanary({ stepWeight: 50 }, { provider }));
  return lab;
}

it.each(routes)(
  'what $provider has made is gone when the application is back on its target, and nothing is lost',
  async ({ provider, ref }) => {
    const lab = await initialized(provider);
    lab.server.delete(canaryRef);
    await lab.pass(120_000);
    expect(lab.server.find(ref)).toBeUndefined();
    expect(lab.answering()).toEqual([APP]);
    expect(lab.lost).toEqual([]);
  },
);

it.each(routes)(
  'a foreign edit of our own route of $provider meanwhile is never taken for what was there before',
  async ({ provider, ref }) => {
    const lab = await initialized(provider);
    // For a moment the route is missing: that is the other writer's doing.
    lab.watched = false;
    lab.server.patch(ref, { spec: { http: [], backends: [] } });
    await lab.pass(10_000);
    lab.watched = true;
    expect(lab.server.find(ref)?.metadata.annotations).not.toHaveProperty(['flagger.kubernetes.io/original-configuration']);
    lab.server.delete(canaryRef);
    await lab.pass(120_000);
    expect(lab.server.find(ref)).toBeUndefined();
    expect(lab.answering()).toEqual([APP]);
    expect(lab.lost).toEqual([]);
  },
);
