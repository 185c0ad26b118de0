import { describe, expect, it } from 'vitest';
import { workloadFor, workloads } from './index.ts';

describe('workloadFor', () => {
  it('W1: gives the Deployment plug-in, and refuses any other kind instead of treating it as one', () => {
    expect(workloadFor({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' })).toBe(workloads.Deployment);
    for (const kind of ['DaemonSet', 'Service'] as const) {
      expect(workloadFor({ apiVersion: 'apps/v1', kind, name: 'a' })).toEqual({ unsupported: expect.stringContaining(kind) });
    }
    expect(workloadFor({ apiVersion: 'example.test/v1', kind: 'Deployment', name: 'a' })).toHaveProperty('unsupported');
  });
});
