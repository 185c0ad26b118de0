import { expect, it } from 'vitest';
import type { KubeObject, Slim } from '../kube-object.ts';
import { asDeployment, type Deployment } from './deployment.ts';

const object: KubeObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'podinfo' }, spec: { replicas: 2 } };

it('gives an object the type of its kind', () => {
  const deployment: Deployment = asDeployment(object);
  expect(deployment.spec.replicas).toBe(2);
  // @ts-expect-error the type knows its fields
  expect(deployment.spec.replicas.length).toBeUndefined();
});

it('an object of another kind is a defect of the caller', () =>
  expect(() => asDeployment({ ...object, kind: 'DaemonSet' })).toThrow('DaemonSet podinfo was read as Deployment'));

it('a slim object stays slim, and cannot be used as a whole object', () => {
  const slim: Slim = object;
  const deployment: Slim<Deployment> = asDeployment(slim);
  // @ts-expect-error whole objects only
  const whole: KubeObject = slim;
  // @ts-expect-error whole Deployments only
  const wholeDeployment: Deployment = deployment;
  expect([whole, wholeDeployment]).toEqual([object, object]);
});
