import { expect, it } from 'vitest';
import { raw } from '../../../test/fakes/raw.ts';
import { aCanary } from '../../../test/fakes/world.ts';
import type { KubeObject, ObjectRef } from '../../api/kube-object.ts';
import { names, revisionAnnotation } from '../../api/names.ts';
import { configChecksum, secretChecksum } from '../../workloads/configs/checksum.ts';
import { revisionWithConfigs } from '../../workloads/configs/revision.ts';
import { Salt } from '../../workloads/configs/salt.ts';
import { deployment as workload } from '../../workloads/deployment/deployment.ts';
import { ControllerConfig } from '../config.ts';
import { inspectAdoption } from './adoption.ts';

const [before, since, after] = ['2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z', '2026-01-01T12:00:00Z'];
const namespace = 'test';
const base = aCanary();
const canary = {
  ...base,
  status: { phase: 'Succeeded', failedChecks: 0, canaryWeight: 0, iterations: 0, lastTransitionTime: since } as const,
};

function deployment(name: string, config: string, managedFields: object[] = [], field = 'configMapRef'): KubeObject {
  const containers = [{ name: 'app', image: 'podinfo:1', envFrom: [{ [field]: { name: config } }] }];
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, uid: name, resourceVersion: '1', managedFields },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  } as unknown as KubeObject;
}
const owner = (kind: string, name: string) => ({ apiVersion: 'x/v1', kind, name, uid: `${kind}-${name}` });
const configMap = (name: string, ...ownerReferences: object[]): KubeObject =>
  ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { COLOR: 'blue' } },
    metadata: { name, namespace, uid: name, resourceVersion: '5', ownerReferences },
  }) as unknown as KubeObject;

function aRelease({ fields = [], owners = [] }: { fields?: object[]; owners?: object[] }): KubeObject[] {
  return [
    ...[deployment('podinfo', 'settings', fields), deployment('podinfo-primary', 'settings-primary')],
    ...[configMap('settings'), configMap('settings-primary', ...owners)],
  ];
}

/** Findings about a release of Flagger, and the writes. */
async function inspected(what: { fields?: object[]; owners?: object[] }, objects = aRelease(what)) {
  const patches: object[] = [];
  const deps = {
    cluster: {
      get: async (ref: ObjectRef) => objects.find(({ kind, metadata }) => kind === ref.kind && metadata.name === ref.name),
      patch: async ({ name }: ObjectRef, patch: object) => void patches.push({ name, ...patch }),
    },
    anchors: {
      ensure: async () => undefined,
      reference: async () => ({ name: names(canary).anchor, uid: 'a' }),
      templates: { promoted: async () => undefined, keep: async () => undefined },
    },
    salts: { of: async () => ({ salt: Salt.of(['a']), isPromoted: false, copyOf: async () => undefined }) },
    ...{ config: ControllerConfig.parse({}), log: { warn: () => undefined }, signal: new AbortController().signal, view: {} },
  } as unknown as Parameters<typeof inspectAdoption>[1];
  return { adoption: await inspectAdoption(canary, deps), patches };
}
const edit = (time: string, spec: object, manager = 'kubectl', more: object = {}) => ({
  ...{ manager, operation: 'Update', time, fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': spec } },
  ...more,
});
const template = { 'f:template': {} };

it.each([
  { what: 'before the release of Flagger ended', fields: [edit(before, template)], pushed: false },
  { what: 'in the second in which it ended', fields: [edit(since, template)], pushed: true },
  { what: 'after it had ended', fields: [edit(after, template)], pushed: true },
  { what: 'afterwards in its replicas alone', fields: [edit(after, { 'f:replicas': {} })], pushed: false },
  { what: 'afterwards by Flagger itself', fields: [edit(after, template, 'flagger')], pushed: false },
  { what: 'afterwards through its scale', fields: [edit(after, template, 'kubectl', { subresource: 'scale' })], pushed: false },
])('E3: a target that was edited $what was pushed since: $pushed', async ({ fields, pushed }) => {
  expect((await inspected({ fields })).adoption).toMatchObject({ pushed });
});

it('a copy of Flagger that the primary reads gets the anchor as its owner in place of the Canary, beside others', async () => {
  const other = owner('Team', 'shop');
  const { patches } = await inspected({ owners: [other, owner('Canary', 'podinfo')] });
  const ownerReferences = [other, expect.objectContaining({ kind: 'ControllerRevision', name: names(canary).anchor })];
  expect(patches).toEqual([{ name: 'settings-primary', metadata: { resourceVersion: '5', ownerReferences } }]);
});

it('a copy that does not belong to the Canary is not written', async () => {
  expect((await inspected({ owners: [owner('Canary', 'other')] })).patches).toEqual([]);
});

it.each([
  { what: 'that External Secrets has rotated since', labels: { 'reconcile.external-secrets.io/managed': 'true' }, equals: true },
  { what: 'that was edited since', labels: {}, equals: false },
])('E130: a primary that reads the copy of a Secret $what runs what the target is: $equals', async ({ labels, equals }) => {
  const secret = (name: string, password: string): KubeObject =>
    ({ ...configMap(name), kind: 'Secret', metadata: { name, namespace, uid: name, labels }, data: { password } }) as KubeObject;
  const objects = [
    ...[deployment('podinfo', 'db', [], 'secretRef'), deployment('podinfo-primary', 'db-primary', [], 'secretRef')],
    ...[secret('db', 'bmV3'), secret('db-primary', 'b2xk')],
  ];
  expect((await inspected({}, objects)).adoption).toMatchObject({ equals });
});

it.each([
  { what: 'with a plain checksum, before an upgrade', checksum: configChecksum, equals: true },
  { what: 'with the salt', checksum: (secret: KubeObject) => secretChecksum(secret, Salt.of(['a'])), equals: true },
  { what: 'with another salt', checksum: (secret: KubeObject) => secretChecksum(secret, Salt.of(['b'])), equals: false },
])('E141: a primary that was promoted $what runs what the target is: $equals', async ({ checksum, equals }) => {
  const db = { ...configMap('db'), kind: 'Secret', data: { password: 'bmV3' } } as KubeObject;
  const target = deployment('podinfo', 'db', [], 'secretRef');
  const primary = deployment('podinfo-primary', 'db-primary-0123456789', [], 'secretRef');
  const carried = revisionWithConfigs(workload.revision(target), { 'secret/db': { uid: 'db', checksum: checksum(db) } });
  raw(primary).spec.template.metadata.annotations = { [revisionAnnotation]: carried };
  const { adoption } = await inspected({}, [target, primary, db]);
  expect([adoption?.equals, adoption?.primaryRevision, adoption?.target === carried]).toEqual([equals, carried, equals]);
});
