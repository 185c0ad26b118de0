import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication } from './applications.ts';
import { givenNode } from './given-node.ts';
import { type Installed, installSerin } from './installed.ts';
import { outcomeOf } from './outcome.ts';

const node = givenNode('application', 'serin');
let installed: Installed;
beforeAll(async () => {
  installed = await installSerin(node());
});
afterAll(() => installed?.helm.stop());

const promoted = { phase: 'Succeeded', lost: [], versions: ['1', '2'] };
const SETTINGS = 'settings';
const DIRECTORY = '/settings';
const kinds = [
  { kind: 'ConfigMap', key: 'configMapKeyRef', volume: { configMap: { name: SETTINGS } } },
  { kind: 'Secret', key: 'secretKeyRef', volume: { secret: { secretName: SETTINGS } } },
] as const;
const settings = (kind: string, version: string) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: SETTINGS },
  [kind === 'Secret' ? 'stringData' : 'data']: { version },
});
const rows = kinds.flatMap(({ kind, key, volume }) => [
  {
    kind,
    how: 'in the environment',
    container: { env: [{ name: 'VERSION', valueFrom: { [key]: { name: SETTINGS, key: 'version' } } }] },
    pod: {},
  },
  {
    kind,
    how: 'as a file',
    container: {
      env: [{ name: 'VERSION_FILE', value: `${DIRECTORY}/version` }],
      volumeMounts: [{ name: SETTINGS, mountPath: DIRECTORY }],
    },
    pod: { volumes: [{ name: SETTINGS, ...volume }] },
  },
]);

describe.concurrent('on a real kubelet', () => {
  it.each(rows)('a $kind that pods read $how: its change is released, and no request is lost', async ({ kind, how, container, pod }) => {
    const namespace = `${kind}-${how.at(-1)}`.toLowerCase();
    const shop = await anApplication(node(), installed, namespace, { container, pod, beside: [settings(kind, '1')] });
    const changed = settings(kind, '2');
    const release = () => installed.apply({ ...changed, metadata: { ...changed.metadata, namespace } });
    expect(await outcomeOf(shop, { release })).toMatchObject(promoted);
  });

  it('an image with a digest is promoted with the same digest, and no request is lost', async () => {
    const image = await node().byDigest('serin.test/application:1');
    const shop = await anApplication(node(), installed, 'by-digest', { container: { image } });
    expect(await outcomeOf(shop)).toMatchObject(promoted);
    const path = 'jsonpath={.spec.template.spec.containers[0].image}';
    expect(await node().kubectl('get', 'deployment', 'shop-primary', '-n', shop.namespace, '-o', path)).toBe(image);
  });
});
