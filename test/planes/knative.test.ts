import { describe, expect, it } from 'vitest';
import { raw } from '../fakes/raw.ts';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { containerOf } from '../scenarios/kinds/application.ts';
import { namespacesFor } from '../scenarios/shares/split-app.ts';
import { startGround } from './ground.ts';
import { SERVING_NEEDS } from './knative.ts';
import { startKnativePlane } from './knative-plane.ts';

const start = () => startGround(startKnativePlane, SERVING_NEEDS);

describe('probe', () => {
  const environmentOf = anEnvironment<RealEnvironment>(start);
  it('looks', async () => {
    const { cluster } = environmentOf();
    const namespace = 'probe';
    await namespacesFor(cluster, [namespace]);
    const ref = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'web', namespace };
    const made = await cluster.create({ apiVersion: ref.apiVersion, kind: 'Service', metadata: { name: 'web', namespace }, spec: { template: { spec: { containers: [containerOf('1')] } } } });
    console.log(JSON.stringify(made, null, 1));
    for (let n = 0; n < 15; n += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      console.log(n, JSON.stringify(raw(await cluster.get(ref)).status));
      if (raw(await cluster.get(ref)).status?.conditions?.every((c: { status: string }) => c.status === 'True')) break;
    }
    for (const kind of ['revisions', 'routes', 'podautoscalers', 'serverlessservices', 'kingress', 'httpproxies', 'deployments', 'pods', 'svc', 'endpoints', 'endpointslices', 'hpa'])
      console.log(await environmentOf().kubectl('-n', namespace, 'get', kind, '-o', ['revisions', 'podautoscalers', 'kingress','routes'].includes(kind) ? 'yaml' : 'wide'));
    expect(1).toBe(1);
  });
});
