import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apexGuardObjects } from '../../scripts/kustomize/manifests.ts';
import { loadConnection } from '../../src/kube/connect.ts';
import { arrival, GuardPlay, guardCases, OPEN, SHOP } from '../contracts/apex-guard/guard-cases.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

describe('the apex guard on kube-apiserver', () => {
  let real: RealCluster;
  let player: GuardPlay;
  beforeAll(async () => {
    real = await startRealCluster({ controllers: false });
    for (const name of [SHOP, OPEN]) await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const object of apexGuardObjects([SHOP])) await real.cluster.apply(object);
    player = new GuardPlay(await loadConnection({ kubeconfig: real.adminKubeconfigFile, userAgent: 'guard-test' }));
    const probe = { title: 'the policy is in force', steps: [arrival] };
    await eventually(
      probe.title,
      () => player.play(probe),
      ([state]) => state?.owners.length === 0,
    );
  });
  afterAll(async () => {
    player?.close();
    await real?.stop();
  });

  it.each(guardCases)('$title', async (one) => {
    expect(await player.play(one)).toMatchObject(one.steps.map(({ after }) => after));
  });
});
