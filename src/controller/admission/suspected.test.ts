import { expect, it } from 'vitest';
import { aCanary } from '../../../test/fakes/world.ts';
import { workloads } from '../../workloads/index.ts';
import { suspected } from './service-fit.ts';

const target = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'podinfo', namespace: 'test' },
  spec: { template: { spec: { containers: [{ name: 'app', ports: [{ name: 'http', containerPort: 9898 }] }] } } },
};
const view = {
  find: ({ kind, name }: { kind: string; name: string }) => (kind === 'Deployment' && name === 'podinfo' ? { object: target } : undefined),
};
const suspectedOf = (spec: object) => {
  const canary = aCanary();
  const changed = { ...canary, spec: { ...canary.spec, ...spec } };
  return suspected({ canary: changed, workload: workloads.Deployment }, view as Parameters<typeof suspected>[1]);
};

it('I14: by the watches only, a Service whose port the pods do not have is suspected, and a Service whose port they have is not', () => {
  expect(suspectedOf({ service: { port: 80, targetPort: 'web' } })).toMatchObject({ path: 'spec.service.targetPort' });
  expect(suspectedOf({ service: { port: 80, targetPort: 'http' } })).toBeUndefined();
});

it('I14: a Canary that is suspended writes no Service, so that none is suspected', () => {
  expect(suspectedOf({ service: { port: 80, targetPort: 'web' }, suspend: true })).toBeUndefined();
});
