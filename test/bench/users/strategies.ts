import type { KubeCluster } from '../../../src/kube/kube-cluster.ts';
import { nameOf } from '../applications.ts';
import { inParallel, MAX_WEIGHT, STEPS } from '../at-once/at-once-applications.ts';
import { INSIDER } from './clients.ts';
import type { Strategy } from './recorded-users.ts';

const NONE = { stepWeight: null, maxWeight: null, iterations: null, match: null, mirror: null, mirrorWeight: null };
const ANALYSES: Readonly<Record<Strategy, object>> = {
  canary: { stepWeight: MAX_WEIGHT / STEPS, maxWeight: MAX_WEIGHT },
  'A/B': { iterations: STEPS, match: [{ headers: { [INSIDER.name]: { exact: INSIDER.value } } }] },
  'Blue/Green': { iterations: STEPS },
  'Blue/Green with mirroring': { iterations: STEPS, mirror: true, mirrorWeight: 100 },
};
const AT_ONCE = 32;

/** Edits all Canaries of a namespace; interval, threshold and metrics stay. */
export const chooseStrategy = (cluster: KubeCluster, namespace: string, count: number, strategy: Strategy): Promise<void> =>
  inParallel(count, AT_ONCE, (index) =>
    cluster.patch(
      { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: nameOf(index), namespace },
      { spec: { analysis: { ...NONE, ...ANALYSES[strategy] } } },
    ),
  );
