import type { Canary } from '../../../src/api/canary.ts';
import type { KubeObject } from '../../../src/api/kube-object.ts';
import { parseCanary } from '../../../src/api/parse-canary.ts';
import type { AppName, ProviderFixture } from './provider-fixture.ts';

/** Every route that carries metadata of the apex carries these. */
const APEX = { labels: { team: 'shop' }, annotations: { 'example.org/owner': 'me' } };

/** The Canary by which a user releases this application through this provider. */
export function canaryFor({ provider, service, spec }: ProviderFixture, app: AppName, analysis: object, other: object = {}): KubeObject {
  return {
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: app.name, namespace: app.namespace },
    spec: {
      provider,
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: app.name },
      service: { port: 80, targetPort: 'http', apex: APEX, ...service?.(app) },
      analysis: { interval: '1m', threshold: 5, ...analysis },
      ...spec?.(app),
      ...other,
    },
  };
}

/** As the controller reads it. */
export function parsed(raw: KubeObject): Canary {
  const result = parseCanary({ ...raw, metadata: { uid: 'c-1', generation: 1, resourceVersion: '1', ...raw.metadata } });
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.canary;
}
