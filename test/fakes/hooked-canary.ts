import { Canary, type Webhook } from '../../src/api/canary.ts';

/** A Canary with these webhooks, and an hour for each call: no answer is late. For tests. */
export const hookedCanary = (webhooks: Webhook[]): Canary =>
  Canary.parse({
    apiVersion: 'flagger.app/v1beta1',
    kind: 'Canary',
    metadata: { name: 'podinfo', namespace: 'test', uid: 'u1', generation: 1, resourceVersion: '1' },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'podinfo' },
      service: { port: 80 },
      analysis: { interval: '10s', threshold: 1, webhooks: webhooks.map((hook) => ({ timeout: '60m', ...hook })) },
    },
  });
