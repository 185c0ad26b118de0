import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apexGuardObjects } from '../../../scripts/kustomize/manifests.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../../src/embedded/cluster.ts';
import { connectionTo } from '../../../src/kube/connect.ts';
import { GuardPlay, guardCases, OPEN, SHOP } from './guard-cases.ts';
import { answersOf, makePolicies, policyCases } from './policy-cases.ts';

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

  it.each(guardCases)('$title', async (one) => {
    expect(await player.play(one)).toMatchObject(one.steps.map(({ after }) => after));
  });

  it('stores a MutatingAdmissionPolicy that compiles, and refuses the others', () => {
    const refusals = policyCases.flatMap(({ name, answers: { policy } }) => (policy === undefined ? [] : [[name, policy]]));
    expect(refused).toEqual(Object.fromEntries(refusals));
  });

  it.each(policyCases.filter(({ answers }) => answers.policy === undefined))('evaluates a policy: $name', async (one) => {
    expect(await answersOf(embedded.cluster, one)).toEqual(one.answers);
  });
});
