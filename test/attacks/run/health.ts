import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import type { Raw } from '../../fakes/raw.ts';
import { eventually } from '../../scenarios/eventually.ts';

export const LEASE_NAMESPACE = 'serin-system';
const BETWEEN_MS = 200;
/** Half of the time after which the lease is lost. */
const ANSWER_WITHIN_MS = 7_500;

/** Times that a controller began to lead, by the log. */
export const leadsIn = (logFile: string): number =>
  existsSync(logFile) ? readFileSync(logFile, 'utf8').split('"reconciling Canaries"').length - 1 : 0;

/** Polls `/readyz` continuously, and compares the lease at the beginning and at the end. `leads`: number of leads before the controller was started. */
export async function watchHealth(cluster: KubeCluster, port: number, logFile: string, leads: number): Promise<() => Promise<string[]>> {
  const problems: string[] = [];
  const ask = async () => {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      return answer.status === 200 ? '' : `${answer.status} ${await answer.text()}`;
    } catch (error) {
      return String((error as Error).cause ?? error);
    }
  };
  const lease = async () =>
    (await cluster.list({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace: LEASE_NAMESPACE })).items.map(
      ({ metadata, spec }: Raw) => `${metadata.name} ${spec.holderIdentity || 'no one'} ${spec.leaseTransitions ?? 0}`,
    );
  await eventually('the controller leads', () => leadsIn(logFile) > leads);
  await eventually('the controller is ready', ask, (problem) => problem === '');
  const before = await eventually('the lease is held', lease, ([first]) => first !== undefined && !first.includes(' no one '));
  let isRunning = true;
  const watching = (async () => {
    while (isRunning) {
      const problem = await ask();
      if (problem !== '') problems.push(`/readyz: ${problem}`);
      await sleep(BETWEEN_MS);
    }
  })();
  return async () => {
    isRunning = false;
    await watching;
    const after = await lease();
    if (JSON.stringify(after) !== JSON.stringify(before)) problems.push(`the lease was ${before.join()}, and is ${after.join()}`);
    return problems;
  };
}
