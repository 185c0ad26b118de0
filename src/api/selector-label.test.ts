import { describe, expect, it } from 'vitest';
import type { KubeObject } from './kube-object.ts';
import { resolveSelector } from './selector-label.ts';

describe('resolveSelector', () => {
  const target = (matchLabels: Record<string, string>): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { selector: { matchLabels } },
  });
  const keys = ['app', 'name', 'app.kubernetes.io/name'];

  it('03-W12: takes the first selector label that the target has', () => {
    expect(resolveSelector(target({ name: 'b', app: 'a' }), keys)).toEqual({ key: 'app', value: 'a' });
    expect(resolveSelector(target({ name: 'b', tier: 'x' }), keys)).toEqual({ key: 'name', value: 'b' });
    expect(resolveSelector(target({ tier: 'x' }), ['constructor', 'tier'])).toEqual({ key: 'tier', value: 'x' });
  });

  it('03-W12, B28: names the problem when the label is absent, or its value too long', () => {
    expect(resolveSelector(target({ tier: 'x' }), keys)).toEqual({
      problem: expect.stringContaining('app, name'),
      field: 'spec.selector.matchLabels',
    });
    expect(resolveSelector(target({ app: 'a'.repeat(56) }), keys)).toEqual({
      problem: expect.stringContaining('at most 55'),
      field: 'spec.selector.matchLabels.app',
    });
    expect(resolveSelector(target({ app: 'a'.repeat(55) }), keys)).toHaveProperty('key', 'app');
  });
});
