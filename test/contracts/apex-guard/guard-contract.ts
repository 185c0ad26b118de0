import { expect, it } from 'vitest';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { type GuardPlay, guardCases } from './guard-cases.ts';
import { answersOf, policyCases } from './policy-cases.ts';

/** An API server with the apex guard and the policies of `policy-cases.ts`. */
export interface GuardedServer {
  readonly cluster: KubeCluster;
  readonly player: GuardPlay;
  /** Refusals of `makePolicies`. */
  readonly refused: Readonly<Record<string, string>>;
}

/** Cases that every API server plays alike; `serverOf` is called when it is ready. */
export function playGuardCases(serverOf: () => GuardedServer): void {
  it.each(guardCases)('$title', async (one) => {
    expect(await serverOf().player.play(one)).toMatchObject(one.steps.map(({ after }) => after));
  });

  it('stores a MutatingAdmissionPolicy that compiles, and refuses the others', () => {
    const refusals = policyCases.flatMap(({ name, answers: { policy } }) => (policy === undefined ? [] : [[name, policy]]));
    expect(serverOf().refused).toEqual(Object.fromEntries(refusals));
  });

  it.each(policyCases.filter(({ answers }) => answers.policy === undefined))('evaluates a policy: $name', async (one) => {
    expect(await answersOf(serverOf().cluster, one)).toEqual(one.answers);
  });
}
