import { Canary } from '../../src/api/canary.ts';

interface Spec {
  service?: object;
  analysis?: object;
  [field: string]: unknown;
}

/** A Canary of the Deployment of its name, as Serin has read it. `spec` and `metadata` complete or replace its fields. */
export function parsedCanary(
  { service, analysis, ...spec }: Spec = {},
  metadata: Partial<Canary['metadata']> = {},
  status?: object,
): Canary {
  const { name = 'podinfo' } = metadata;
  return Canary.parse({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name, namespace: 'test', uid: 'c-1', generation: 1, resourceVersion: '1', ...metadata },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
      service: { port: 80, ...service },
      analysis: { interval: '10s', threshold: 1, ...analysis },
      ...spec,
    },
    ...(status && { status }),
  });
}
