import { describe, expect, it } from 'vitest';
import type { KubeObject } from './kube-object.ts';
import { resolveSelector, resolveSelectors } from './selector-label.ts';

describe('resolveSelector', () => {
  const target = (matchLabels: Record<string, string>): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { selector: { matchLabels } },
  });
  const keys = ['app', 'name', 'app.kubernetes.io/name'];

  it('takes the first selector label that the target has', () => {
    expect(resolveSelector(target({ name: 'b', app: 'a' }), keys)).toEqual({ key: 'app', value: 'a' });
    expect(resolveSelector(target({ name: 'b', tier: 'x' }), keys)).toEqual({ key: 'name', value: 'b' });
    expect(resolveSelector(target({ tier: 'x' }), ['constructor', 'tier'])).toEqual({ key: 'tier', value: 'x' });
  });

  it('names the problem when the label is absent, or its value too long', () => {
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

describe('resolveSelectors', () => {
  const workload = (matchLabels: Record<string, string>, name = 'web'): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { selector: { matchLabels } },
  });
  const both = { app: 'web', name: 'web' };
  const byName = { name: 'web-primary', app: 'web' };

  it.each([
    {
      title: 'no primary: the first label of the flag',
      target: both,
      sides: { key: 'app', target: 'web', primary: 'web-primary', whole: both, wholePrimary: { app: 'web-primary', name: 'web' } },
    },
    {
      title: 'the key of the primary, whatever comes first in the flag',
      target: both,
      primary: byName,
      sides: { key: 'name', target: 'web', primary: 'web-primary', held: byName, whole: both, wholePrimary: byName },
    },
    {
      title: 'a key that the flag does not name',
      target: { tier: 'x' },
      primary: { tier: 'x-primary' },
      sides: { key: 'tier', target: 'x', primary: 'x-primary', held: { tier: 'x-primary' } },
    },
    {
      title: 'the label that differs by the suffix, where another one ends with it on both sides',
      target: { app: 'db-primary', name: 'web' },
      primary: { app: 'db-primary', name: 'web-primary' },
      sides: {
        key: 'name',
        target: 'web',
        primary: 'web-primary',
        held: { app: 'db-primary', name: 'web-primary' },
        whole: { app: 'db-primary', name: 'web' },
        wholePrimary: { app: 'db-primary', name: 'web-primary' },
      },
    },
    {
      title: 'another value of a target that was made anew',
      target: { app: 'shop' },
      primary: { app: 'web-primary' },
      sides: { key: 'app', target: 'shop', primary: 'web-primary', held: { app: 'web-primary' } },
    },
    {
      title: 'the primary alone, once the target is gone',
      primary: byName,
      sides: { key: 'name', target: 'web', primary: 'web-primary', held: byName, wholePrimary: byName },
    },
    {
      title: 'a primary of another maker without the suffix: as without one, and its labels stay',
      target: both,
      primary: { track: 'stable' },
      sides: { key: 'app', target: 'web', primary: 'web-primary', held: { track: 'stable' }, whole: both },
    },
  ])('I14: $title', ({ target, primary, sides }) => {
    const objects = { target: target && workload(target), primary: primary && workload(primary, 'web-primary') };
    expect(resolveSelectors(objects, ['app', 'name'])).toEqual(sides);
  });

  it.each([
    {
      title: 'lacks the label of the primary',
      target: { name: 'web' },
      says: /has no app, .*app: web-primary; create it again with app: web /,
    },
    { title: 'has the value of the primary', target: { app: 'web-primary' }, says: /has app: web-primary as the primary has/ },
  ])('E95: a target that $title is a problem that names label and remedy', ({ target, says }) => {
    const objects = { target: workload(target), primary: workload({ app: 'web-primary' }, 'web-primary') };
    expect(resolveSelectors(objects, ['app', 'name'])).toEqual({
      problem: expect.stringMatching(says),
      field: 'spec.selector.matchLabels.app',
    });
  });
});
