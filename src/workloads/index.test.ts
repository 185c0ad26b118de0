import { describe, expect, it } from 'vitest';
import { workloadFor, workloads } from './index.ts';

describe('workloadFor', () => {
  it.each([
    { apiVersion: 'apps/v1', kind: 'Deployment', name: 'Deployment' },
    { apiVersion: 'v1', kind: 'Deployment', name: 'Deployment' },
    { apiVersion: 'extensions/v1beta1', kind: 'DaemonSet', name: 'DaemonSet' },
    { apiVersion: 'core/v1', kind: 'Service', name: 'Service' },
    { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: 'Knative Service' },
  ] as const)('$kind of $apiVersion is a $name', ({ apiVersion, kind, name }) => {
    expect(workloadFor({ apiVersion, kind, name: 'a' })).toBe(workloads[name]);
  });

  it.each([
    { apiVersion: 'example.test/v1', kind: 'Deployment' },
    { apiVersion: 'serving.knative.dev/v2', kind: 'Service' },
    { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  ])('$kind of $apiVersion is refused and never treated as another', ({ apiVersion, kind }) => {
    expect(workloadFor({ apiVersion, kind, name: 'a' })).toEqual({ unsupported: expect.stringContaining(`${apiVersion} ${kind}`) });
  });
});
