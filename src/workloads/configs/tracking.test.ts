import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { isTracked } from './tracking.ts';

const config = (kind: string, fields: { type?: string; annotations?: Record<string, string> } = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'x', ...(fields.annotations && { annotations: fields.annotations }) },
  ...(fields.type && { type: fields.type }),
});

describe('isTracked', () => {
  it.each([
    { type: 'Opaque', tracked: true },
    { type: undefined, tracked: true },
    { type: 'kubernetes.io/basic-auth', tracked: true },
    { type: 'kubernetes.io/ssh-auth', tracked: true },
    { type: 'kubernetes.io/tls', tracked: true },
    { type: 'kubernetes.io/dockerconfigjson', tracked: false },
    { type: 'kubernetes.io/dockercfg', tracked: false },
    { type: 'kubernetes.io/service-account-token', tracked: false },
    { type: 'bootstrap.kubernetes.io/token', tracked: false },
    { type: 'helm.sh/release.v1', tracked: false },
    { type: 'example.test/custom', tracked: false },
  ])('03-CT7: a Secret of type $type is tracked: $tracked', ({ type, tracked }) => {
    expect(isTracked(config('Secret', type === undefined ? {} : { type }))).toBe(tracked);
  });

  it.each([
    { value: 'disabled', tracked: false },
    { value: 'disable', tracked: false },
    { value: 'enabled', tracked: true },
    { value: '', tracked: true },
    { value: 'Disabled', tracked: true },
  ])('03-CT8: flagger.app/config-tracking: "$value" leaves it tracked: $tracked', ({ value, tracked }) => {
    const annotations = { 'flagger.app/config-tracking': value };
    for (const kind of ['ConfigMap', 'Secret']) expect(isTracked(config(kind, { annotations }))).toBe(tracked);
  });
});
