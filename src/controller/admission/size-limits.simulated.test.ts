import { expect, it, vi } from 'vitest';
import { initialize } from '../../../test/fakes/model/initialize.ts';
import { aModelCanary, canaryRef, type ModelLab } from '../../../test/fakes/model/lab.ts';
import { labWithApp } from '../../../test/fakes/model/life.ts';
import { raw } from '../../../test/fakes/raw.ts';
import type { CanaryCondition } from '../../api/canary-status.ts';
import { crds } from '../../api/crds.ts';
import type { KubeObject } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const plan = { stepWeight: 25, maxWeight: 50 };
const accepted = (lab: ModelLab): CanaryCondition | undefined =>
  raw(lab.canary())?.status?.conditions?.find(({ type }: CanaryCondition) => type === 'Accepted');

/** Flagger's definition, or ours of the last version. */
function withoutLimits(): KubeObject {
  const [crd] = crds();
  const text = JSON.stringify(crd, (key, value) => (['maxLength', 'maxItems', 'maxProperties'].includes(key) ? undefined : value));
  return JSON.parse(text);
}

async function initialized(): Promise<ModelLab> {
  const lab = await labWithApp();
  await initialize(lab, aModelCanary(plan));
  return lab;
}

async function releases(lab: ModelLab): Promise<void> {
  lab.push('2');
  expect(await lab.passUntil(() => lab.phase() === 'Succeeded', 300_000)).toBe(true);
  expect([accepted(lab), lab.lost]).toEqual([undefined, []]);
}

const tooMany = Array.from({ length: 101 }, () => ({ name: 'request-success-rate', thresholdRange: { min: 99 } }));

it.each([
  ['webhooks', Array.from({ length: 101 }, () => ({ name: 'w', url: 'http://gate/' })), 'spec.analysis.webhooks: is a list of 101'],
  ['metrics', tooMany, 'spec.analysis.metrics: is a list of 101: it must be at most 100 entries long'],
  ['match', [{ headers: { a: { exact: 'u'.repeat(65_537) } } }], 'spec.analysis.match[0].headers.a.exact: is the text'],
])(
  'DF600: a Canary with too much in %s, stored where no definition limits it, is refused by name and goes on once it is corrected',
  async (field, value, message) => {
    const lab = await initialized();
    lab.server.patch(
      { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name: 'canaries.flagger.app' },
      withoutLimits(),
    );
    lab.server.patch(canaryRef, { spec: { analysis: { [field]: value } } });
    for (const life of ['first', 'second']) {
      await lab.pass(30_000);
      expect(accepted(lab), life).toMatchObject({ status: 'False', reason: 'InvalidSpec', message: expect.stringContaining(message) });
      lab.kill();
      lab.start();
    }
    lab.server.patch(canaryRef, { spec: { analysis: { [field]: null } } });
    await releases(lab);
  },
);

it('DF600: a Canary stored before the limits goes on once it is corrected, though the API server accepts no status for it', async () => {
  const lab = await initialized();
  lab.kill();
  const stored = lab.canary() as unknown as KubeObject;
  const { metadata, spec } = raw(stored);
  const generation = Number(metadata.generation) + 1;
  lab.server.restore({
    ...stored,
    metadata: { ...metadata, generation },
    spec: { ...spec, analysis: { ...spec.analysis, metrics: tooMany } },
  });
  lab.start();
  await lab.pass(120_000);
  expect([lab.phase(), accepted(lab)]).toEqual(['Initialized', undefined]);
  lab.server.patch(canaryRef, { spec: { analysis: { metrics: null } } });
  await releases(lab);
});
