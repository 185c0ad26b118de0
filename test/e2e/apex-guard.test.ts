import { afterAll, beforeAll, describe } from 'vitest';
import { apexGuardObjects } from '../../scripts/kustomize/manifests.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { loadConnection } from '../../src/kube/connect.ts';
import { arrival, GuardPlay, OPEN, SHOP } from '../contracts/apex-guard/guard-cases.ts';
import { playGuardCases } from '../contracts/apex-guard/guard-contract.ts';
import { makePolicies, policyCases } from '../contracts/apex-guard/policy-cases.ts';
import { eventually } from '../scenarios/eventually.ts';
import { type RealCluster, startRealCluster } from './real-cluster.ts';

describe('the apex guard on kube-apiserver', () => {
  let real: RealCluster;
  let player: GuardPlay;
  let refused: Record<string, string>;
  beforeAll(async () => {
    real = await startRealCluster({ controllers: false });
    for (const name of [SHOP, OPEN]) await real.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const object of apexGuardObjects([SHOP])) await real.cluster.apply(object);
    refused = await makePolicies(real.cluster);
    player = new GuardPlay(await loadConnection({ kubeconfig: real.adminKubeconfigFile, userAgent: 'guard-test' }));
    // A policy is in force some time after it was made.
    const last = policyCases.findLast(({ answers }) => answers.policy === undefined);
    const isLast = () =>
      real.cluster.create(inForce(last?.name ?? ''), { dryRun: true }).then(
        () => false,
        () => true,
      );
    await eventually('all policies are in force', isLast);
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

  playGuardCases(() => ({ cluster: real.cluster, player, refused }));
});

const inForce = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'probe', namespace: 'default', labels: { case: name } },
  data: {},
});
