import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../api/kube-object.ts';
import { workloadFor, workloads } from './index.ts';
import { resolveSelector } from './selector-label.ts';

describe('workloadFor', () => {
  it('W1: gives the Deployment plug-in, and refuses any other kind instead of treating it as one', () => {
    expect(workloadFor({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' })).toBe(workloads.Deployment);
    for (const kind of ['DaemonSet', 'Service'] as const) {
      expect(workloadFor({ apiVersion: 'apps/v1', kind, name: 'a' })).toEqual({ unsupported: expect.stringContaining(kind) });
    }
    expect(workloadFor({ apiVersion: 'example.test/v1', kind: 'Deployment', name: 'a' })).toHaveProperty('unsupported');
  });
});

describe('resolveSelector', () => {
  const target = (matchLabels: Record<string, string>): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { selector: { matchLabels } },
  });
  const keys = ['app', 'name', 'app.kubernetes.io/name'];

  it('W12: takes the first selector label that the target has', () => {
    expect(resolveSelector(target({ name: 'b', app: 'a' }), keys)).toEqual({ key: 'app', value: 'a' });
    expect(resolveSelector(target({ name: 'b', tier: 'x' }), keys)).toEqual({ key: 'name', value: 'b' });
  });

  it('W12, B28: names the problem when there is none, or when its value leaves no room', () => {
    expect(resolveSelector(target({ tier: 'x' }), keys)).toEqual({ problem: expect.stringContaining('app, name') });
    expect(resolveSelector(target({ app: 'a'.repeat(56) }), keys)).toEqual({ problem: expect.stringContaining('at most 55') });
    expect(resolveSelector(target({ app: 'a'.repeat(55) }), keys)).toHaveProperty('key', 'app');
  });
});
