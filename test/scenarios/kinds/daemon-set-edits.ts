import { expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { Lab } from '../adversity/lab.ts';
import type { Environment } from '../environment.ts';
import { APP } from '../scenario.ts';
import { daemonSetApplication } from './daemon-set.ts';

const KEY = 'flagger.app/scale-to-zero';

async function begin(environment: Environment, namespace: string) {
  const lab = await Lab.open(environment, { namespace, scaleDownDelay: '500ms', interval: '500ms' });
  const { cluster } = lab;
  const app = daemonSetApplication(cluster, namespace);
  await app.create();
  lab.startController();
  const ref = (apiVersion: string, kind: string, name = APP): ObjectRef => ({ apiVersion, kind, name, namespace });
  const target = ref('apps/v1', 'DaemonSet');
  const canary = ref('flagger.app/v1beta1', 'Canary');
  const analysis = { interval: '500ms', threshold: 3, stepWeight: 50, maxWeight: 50 };
  const createCanary = () =>
    cluster.create({
      apiVersion: 'flagger.app/v1beta1',
      kind: 'Canary',
      metadata: { name: APP, namespace },
      spec: { service: { port: 80, targetPort: 'http' }, progressDeadlineSeconds: 600, analysis, ...app.spec },
    });
  const becomesIdle = (phase: string) =>
    lab.until(canary, `is idle as ${phase}`, (now) => raw(now)?.status?.phase === phase && raw(now).status.release?.step === 'resting');
  // Only RollingUpdate can have `rollingUpdate`.
  const setStrategy = (type: string) => cluster.patch(target, { spec: { updateStrategy: { type, rollingUpdate: null } } });
  return { lab, cluster, app, ref, target, canary, createCanary, becomesIdle, setStrategy };
}

/** A DaemonSet that another writer edits too. */
export function describeDaemonSetEdits(environmentOf: () => Environment): void {
  it('OnDelete is reported before a primary is made and before a release starts, and holds neither up once it is gone', async () => {
    const { lab, cluster, app, ref, target, canary, createCanary, becomesIdle, setStrategy } = await begin(
      environmentOf(),
      'daemon-strategy',
    );
    try {
      const reports = (what: string) =>
        lab.until(canary, `reports that ${what}`, (now) =>
          JSON.stringify(raw(now)?.status?.conditions ?? []).includes('OnDelete never replaces'),
        );
      await setStrategy('OnDelete');
      await createCanary();
      await reports('it makes no primary');
      expect(await cluster.get(ref('apps/v1', 'DaemonSet', `${APP}-primary`))).toBeUndefined();
      await setStrategy('RollingUpdate');
      await becomesIdle('Initialized');
      await app.isScaledDown();

      await setStrategy('OnDelete');
      await app.push('2');
      await reports('it starts no release');
      expect(zeroKey(await cluster.get(target))).toBe('true');
      await setStrategy('RollingUpdate');
      await becomesIdle('Succeeded');
      await app.primaryRuns('2');
    } finally {
      await lab.close();
    }
  });

  it('E90: a key that another writer removes between releases stays away until the next one, and a changed node selector is a new revision', async () => {
    const { lab, cluster, app, target, canary, createCanary, becomesIdle } = await begin(environmentOf(), 'daemon-edits');
    try {
      await createCanary();
      await becomesIdle('Initialized');
      await app.isScaledDown();
      await lab.until(canary, 'has seen its target without pods', (now) => raw(now)?.status?.release?.scaledDownUid !== undefined);
      await cluster.patch(target, { spec: { template: { spec: { nodeSelector: { [KEY]: null } } } } });
      await lab.until(canary, 'reports the idle pods', (now) => JSON.stringify(raw(now)?.status?.conditions).includes('TargetScaledUp'));
      expect(zeroKey(await cluster.get(target))).toBeUndefined();
      await cluster.patch(target, { spec: { template: { spec: { nodeSelector: { 'kubernetes.io/os': null } } } } });
      await becomesIdle('Succeeded');
      const primary = await cluster.get({ ...target, name: `${APP}-primary` });
      expect(raw(primary)?.spec.template.spec.nodeSelector).toBeUndefined();
      await lab.until(target, 'is sent away', (now) => zeroKey(now) === 'true' && raw(now)?.status?.currentNumberScheduled === 0);
    } finally {
      await lab.close();
    }
  });
}

const zeroKey = (daemonSet: KubeObject | undefined): string | undefined => raw(daemonSet)?.spec.template.spec.nodeSelector?.[KEY];
