import { expect, it } from 'vitest';
import { raw } from '../fakes/raw.ts';
import { App } from './adversity/app.ts';
import { Lab } from './adversity/lab.ts';
import type { Environment } from './environment.ts';
import { restartIsSilent } from './kinds/idle.ts';

const small = { scaleDownDelay: '500ms', interval: '500ms' } as const;

/** Foreign objects stay unmodified. Counts requests, so no other controller may run on the environment. */
export function describeOwnership(environmentOf: () => Environment): void {
  it('I8: a restart over a resting Canary writes nothing, and a resting Canary costs no request', async () => {
    const lab = await Lab.open(environmentOf(), { ...small, namespace: 'at-rest' });
    try {
      const app = new App(lab, 'podinfo');
      await app.create();
      lab.startController();
      await app.createCanary('istio', { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50 });
      await app.becomesIdle('Initialized');
      await restartIsSilent(lab);
    } finally {
      await lab.close();
    }
  });

  it('fields that Serin does not know pass bootstrap and promotion unchanged', async () => {
    const lab = await Lab.open(environmentOf(), { ...small, namespace: 'unknown-fields' });
    try {
      const app = new App(lab, 'podinfo');
      const unknownToUs = {
        hostAliases: [{ ip: '10.9.8.7', hostnames: ['legacy.example.com'] }],
        os: { name: 'linux' },
        setHostnameAsFQDN: false,
      };
      await app.create(unknownToUs);
      const note = { metadata: { annotations: { 'example.com/invented': '{"deep":{"er":1}}' } } };
      await lab.cluster.patch(app.target, { spec: { template: note, minReadySeconds: 0, revisionHistoryLimit: 7 } });
      lab.startController();
      await app.createCanary('istio', { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50 });
      await app.becomesIdle('Initialized');
      const run = await app.run();
      const changed = { shareProcessNamespace: true, dnsConfig: { options: [{ name: 'ndots', value: '2' }] } };
      await lab.cluster.patch(app.target, { spec: { template: { spec: changed } } });
      expect(await app.ends(run)).toBe('Succeeded');
      const [target, primary] = await Promise.all([lab.cluster.get(app.target), lab.cluster.get(app.primary)]);
      expect(raw(primary)?.spec.template.spec).toEqual(raw(target)?.spec.template.spec);
      expect(raw(primary)?.spec.template.spec).toMatchObject({ ...unknownToUs, ...changed });
      expect(raw(primary)?.spec.template.metadata.annotations).toMatchObject(note.metadata.annotations);
      expect(raw(primary)?.spec.revisionHistoryLimit).toBe(7);
    } finally {
      await lab.close();
    }
  });
}
