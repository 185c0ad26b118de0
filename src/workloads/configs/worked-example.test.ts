import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { parsedCanary } from '../../../test/fakes/parsed-canary.ts';
import { asDeployment } from '../../api/kinds/deployment.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { deployment } from '../deployment/deployment.ts';
import { configKey } from './config-ref.ts';
import { copiesOf } from './copies.ts';
import { allMarked, marksOf } from './read-marks.ts';
import { configReferences } from './references.ts';
import { revisionWithConfigs, trackedChecksums } from './revision.ts';
import { Salt } from './salt.ts';

const golden = join(import.meta.dirname, '..', '..', '..', 'test', 'golden', 'configs');
const [target, ...sources] = parseAllDocuments(readFileSync(join(golden, 'checkout.input.yaml'), 'utf8')).map(
  (document): KubeObject => document.toJS(),
) as [KubeObject, ...KubeObject[]];
const canary = parsedCanary({}, { name: 'checkout', namespace: 'shop' });

/** A promotion with the configs that it has read. */
async function promoted() {
  const refs = configReferences(asDeployment(target).spec.template.spec);
  const found = new Map(
    refs.map((ref) => [configKey(ref), sources.find(({ kind, metadata }) => kind === ref.kind && metadata.name === ref.name)] as const),
  );
  const marks = { salt: Salt.of(['worked example']), isPromoted: true, copyOf: async () => undefined };
  const seen = allMarked(await marksOf(found, {}, marks), {});
  const { copies, names } = copiesOf(canary, found, seen, ['app.kubernetes.io']);
  const revision = revisionWithConfigs(deployment.revision(target), seen);
  const primary = deployment.renderPrimary(canary, target, {
    selector: { key: 'app', target: 'checkout', primary: 'checkout-primary' },
    includeLabelPrefix: ['app.kubernetes.io'],
    selectorLabels: ['app', 'name', 'app.kubernetes.io/name'],
    revision,
    replicas: 3,
    configs: names,
  });
  return { copies, primary, checksums: trackedChecksums(seen) };
}

describe('the worked example with configs', () => {
  it('makes these copies, and a primary that changes only in reading them', async () => {
    const { copies, primary } = await promoted();
    const text = [...copies, primary].map((object) => stringify(object, { sortMapEntries: true })).join('---\n');
    await expect(text).toMatchFileSnapshot(join(golden, 'checkout.output.yaml'));
  });

  it('status shows the same checksums of ConfigMaps as Flagger, and salted ones of Secrets', async () => {
    expect((await promoted()).checksums).toEqual({
      'configmap/checkout-settings': '34a56f8d5edd727c',
      'configmap/checkout-files': '6c56b6006622f692',
      'secret/checkout-db': expect.stringMatching(/^[0-9a-f]{8}\.[0-9a-f]{32}$/),
    });
  });
});
