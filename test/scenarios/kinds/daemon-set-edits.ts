import { expect, it } from 'vitest';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import { Lab } from '../adversity/lab.ts';
import type { Stage } from '../stage.ts';
import { APP } from '../story.ts';
import { daemonSetApplication } from './daemon-set.ts';

const KEY = 'flagger.app/scale-to-zero';

async function begin(stage: Stage, namespace: string) {
  const lab = await Lab.open(stage, { namespace, scaleDownDelay: '500ms', interval: '500ms' });
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
  const rests = (phase: string) =>
    lab.until(canary, `rests as ${phase}`, (now) => raw(now)?.status?.phase === phase && raw(now).status.release?.step === 'resting');
  // `rollingUpdate` goes with RollingUpdate alone.
  const setStrategy = (type: string) => cluster.patch(target, { spec: { updateStrategy: { type, rollingUpdate: null } } });
  return { lab, cluster, app, ref, target, canary, createCanary, rests, setStrategy };
}

/** A DaemonSet that somebody else edits too. */
export function describeDaemonSetEdits(stageOf: () => Stage): void {
  it('03-W54, B35: OnDelete is told before a primary is made and before a release starts, and holds neither up once it is gone', async () => {
    const { lab, cluster, app, ref, target, canary, createCanary, rests, setStrategy } = await begin(stageOf(), 'daemon-strategy');
    try {
      const tells = (what: string) =>
        lab.until(canary, `tells that ${what}`, (now) =>
          JSON.stringify(raw(now)?.status?.conditions ?? []).includes('OnDelete never replaces'),
        );
      await setStrategy('OnDelete');
      await createCanary();
      await tells('it makes no primary');
      expect(await cluster.get(ref('apps/v1', 'DaemonSet', `${APP}-primary`))).toBeUndefined();
      await setStrategy('RollingUpdate');
      await rests('Initialized');
      await app.rests();

      await setStrategy('OnDelete');
      await app.push('2');
      await tells('it starts no release');
      expect(zeroKey(await cluster.get(target))).toBe('true');
      await setStrategy('RollingUpdate');
      await rests('Succeeded');
      await app.primaryRuns('2');
    } finally {
      await lab.close();
    }
  });

  it('03-W56, E90: a key that somebody takes away at rest stays away until the next release, and a changed node selector is a new revision', async () => {
    const { lab, cluster, app, target, canary, createCanary, rests } = await begin(stageOf(), 'daemon-edits');
    try {
      await createCanary();
      await rests('Initialized');
      await app.rests();
      await lab.until(canary, 'has seen its target without pods', (now) => raw(now)?.status?.release?.scaledDownUid !== undefined);
      await cluster.patch(target, { spec: { template: { spec: { nodeSelector: { [KEY]: null } } } } });
      await lab.until(canary, 'tells of the idle pods', (now) => JSON.stringify(raw(now)?.status?.conditions).includes('TargetScaledUp'));
      expect(zeroKey(await cluster.get(target))).toBeUndefined();
      await cluster.patch(target, { spec: { template: { spec: { nodeSelector: { 'kubernetes.io/os': null } } } } });
      await rests('Succeeded');
      const primary = await cluster.get({ ...target, name: `${APP}-primary` });
      expect(raw(primary)?.spec.template.spec.nodeSelector).toBeUndefined();
      await lab.until(target, 'is sent away', (now) => zeroKey(now) === 'true' && raw(now)?.status?.currentNumberScheduled === 0);
    } finally {
      await lab.close();
    }
  });
}

const zeroKey = (daemonSet: KubeObject | undefined): string | undefined => raw(daemonSet)?.spec.template.spec.nodeSelector?.[KEY];
