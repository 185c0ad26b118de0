import { afterAll, beforeAll, describe } from 'vitest';
import { apexGuardObjects } from '../../../scripts/kustomize/manifests.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../../src/embedded/cluster.ts';
import { connectionTo } from '../../../src/kube/connect.ts';
import { GuardPlay, OPEN, SHOP } from './guard-cases.ts';
import { playGuardCases } from './guard-contract.ts';
import { makePolicies } from './policy-cases.ts';

describe('the apex guard on the embedded API server', () => {
  let embedded: EmbeddedCluster;
  let player: GuardPlay;
  let refused: Record<string, string>;
  beforeAll(async () => {
    embedded = await startEmbeddedCluster();
    for (const name of [SHOP, OPEN]) await embedded.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    for (const object of apexGuardObjects([SHOP])) await embedded.cluster.apply(object);
    refused = await makePolicies(embedded.cluster);
    player = new GuardPlay(connectionTo(embedded.apiUrl, { userAgent: 'guard-test' }));
  });
  afterAll(async () => {
    player.close();
    await embedded.stop();
  });

  playGuardCases(() => ({ cluster: embedded.cluster, player, refused }));
});
