import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../api/kube-object.ts';
import { isLive, isTracked, trackingAnnotation } from './tracking.ts';

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
  ])('a Secret of type $type is tracked: $tracked', ({ type, tracked }) => {
    expect(isTracked(config('Secret', type === undefined ? {} : { type }))).toBe(tracked);
  });

  it.each([
    { value: 'disabled', tracked: false },
    { value: 'disable', tracked: false },
    { value: 'enabled', tracked: true },
    { value: '', tracked: true },
    { value: 'Disabled', tracked: true },
  ])('flagger.app/config-tracking: "$value" leaves it tracked: $tracked', ({ value, tracked }) => {
    const annotations = { 'flagger.app/config-tracking': value };
    for (const kind of ['ConfigMap', 'Secret']) expect(isTracked(config(kind, { annotations }))).toBe(tracked);
  });
});

describe('isLive', () => {
  const owned = (apiVersion: string, kind: string) => ({ ownerReferences: [{ apiVersion, kind, name: 'db', uid: 'o-1' }] });

  it.each([
    { by: 'an ExternalSecret that owns it', metadata: owned('external-secrets.io/v1', 'ExternalSecret'), live: true },
    { by: 'an ExternalSecret of an older version', metadata: owned('external-secrets.io/v1beta1', 'ExternalSecret'), live: true },
    { by: 'an ExternalSecret that merges into it', metadata: { labels: { 'reconcile.external-secrets.io/managed': 'true' } }, live: true },
    { by: 'a Certificate that owns it', metadata: owned('cert-manager.io/v1', 'Certificate'), live: true },
    { by: 'cert-manager without owner references', metadata: { annotations: { 'cert-manager.io/certificate-name': 'web' } }, live: true },
    { by: 'a SealedSecret', metadata: owned('bitnami.com/v1alpha1', 'SealedSecret'), live: true },
    {
      by: 'the Secrets Store CSI driver, for the pods of a ReplicaSet',
      metadata: { labels: { 'secrets-store.csi.k8s.io/managed': 'true' } },
      live: true,
    },
    {
      by: 'the Secrets Store CSI driver of old',
      metadata: owned('secrets-store.csi.x-k8s.io/v1', 'SecretProviderClassPodStatus'),
      live: true,
    },
    { by: 'no one', metadata: {}, live: false },
    { by: 'a ReplicaSet', metadata: owned('apps/v1', 'ReplicaSet'), live: false },
    { by: 'a kind of the same name in another group', metadata: owned('example.test/v1', 'ExternalSecret'), live: false },
    { by: 'a label of another value', metadata: { labels: { 'secrets-store.csi.k8s.io/managed': 'false' } }, live: false },
  ])('E130: a Secret written by $by is live: $live', ({ metadata, live }) => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', ...metadata } };
    expect(isLive(secret)).toBe(live);
    expect(isTracked(secret)).toBe(!live);
  });

  it.each([
    { value: 'disabled', owner: false, live: true },
    { value: 'enabled', owner: true, live: false },
    { value: 'enabled', owner: false, live: false },
    { value: 'sometimes', owner: true, live: true },
  ])('E130: its annotation "$value" decides before an owner ($owner): live $live', ({ value, owner, live }) => {
    const metadata = { ...(owner && owned('external-secrets.io/v1', 'ExternalSecret')), annotations: { [trackingAnnotation]: value } };
    expect(isLive({ kind: 'Secret', metadata: { name: 'db', ...metadata } })).toBe(live);
  });

  it('E130: only its annotation makes a ConfigMap live', () => {
    const metadata = { name: 'flags', ...owned('external-secrets.io/v1', 'ExternalSecret') };
    expect(isLive({ kind: 'ConfigMap', metadata })).toBe(false);
  });
});
