import type { Cause } from '../../api/codes/codes.ts';
import { asDeployment, type Deployment } from '../../api/kinds/deployment.ts';
import type { Slim } from '../../api/kube-object.ts';
import type { Readiness } from '../../api/readiness.ts';
import { defined } from '../../base/defined.ts';
import type { Watched } from '../workload.ts';

/** Desired pods; the API server's default is 1. */
export function replicasOf(deployment: Slim): number {
  return asDeployment(deployment).spec?.replicas ?? 1;
}

/**
 * Pods that exist or could be starting. A status that is older than the spec does not show the pods that are being made, unless all later specs wanted no pods.
 */
export function podsLeft({ object: deployment, zeroSince }: Pick<Watched, 'object' | 'zeroSince'>): number {
  const { observedGeneration = 0, replicas = 0 } = asDeployment(deployment).status ?? {};
  const isBehind = (zeroSince ?? deployment.metadata.generation ?? 0) > observedGeneration;
  return Math.max(replicasOf(deployment), replicas, isBehind ? 1 : 0);
}

/**
 * Readiness of a Deployment, in whole numbers. Zero wanted is `ready`: the caller knows if the side is scaled to zero. With any wanted, at least one pod must
 * be available, even at threshold 0. The progress deadline of the Deployment is ignored: deadlines are the engine's and count from its own step.
 */
export function deploymentReadiness(object: Slim, thresholdPercent: number): Readiness {
  const deployment = asDeployment(object);
  const wanted = replicasOf(deployment);
  const { status = {} } = deployment;
  const ready = status.availableReplicas ?? 0;
  const updated = status.updatedReplicas ?? 0;
  const old = (status.replicas ?? 0) - updated;
  const name = `Deployment ${deployment.metadata.name}`;
  const notReady = (state: 'waiting' | 'stalled', what: string, cause?: Cause): Readiness =>
    defined({ state, ready, wanted, reason: `${name}: ${what}`, cause });

  if ((deployment.metadata.generation ?? 0) > (status.observedGeneration ?? 0))
    return notReady('waiting', 'its last change is not observed yet');
  if (isStalled(deployment)) return notReady('stalled', 'its rollout exceeded its progressDeadlineSeconds; only an edit helps');
  if (updated < wanted && deployment.spec?.paused === true)
    return notReady('waiting', 'its rollout is paused; set its spec.paused to false', 'RolloutPaused');
  const refused = refusedPods(deployment);
  if (updated < wanted && refused !== undefined) return notReady('waiting', `its pods are refused: ${refused}`, 'PodsRefused');
  if (updated < wanted) return notReady('waiting', `${updated} of ${wanted} pods are updated`);
  if (old > 0) return notReady('waiting', oldPods(old, status.unavailableReplicas ?? 0));
  const needed = wanted === 0 ? 0 : Math.max(1, Math.floor((updated * thresholdPercent) / 100));
  if (ready < needed) return notReady('waiting', `${ready} of ${needed} needed pods are available (threshold ${thresholdPercent}%)`);
  return { state: 'ready', ready, wanted };
}

/** Every old pod could be an available one, so that only pods beyond their number are certainly new. */
export function updatedPods(deployment: Slim): number {
  const { metadata, status = {} } = asDeployment(deployment);
  if ((metadata.generation ?? 0) > (status.observedGeneration ?? 0)) return 0;
  const old = (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return Math.max(0, (status.availableReplicas ?? 0) - old);
}

/** Usually old pods are left because the new ones do not start: the owner can correct that. */
function oldPods(old: number, unavailable: number): string {
  if (unavailable === 0) return `old pods are left: ${old}`;
  return `unavailable pods: ${unavailable}; until the new ones are available, old ones stay: ${old}`;
}

function isStalled(deployment: Slim<Deployment>): boolean {
  const { conditions = [] } = deployment.status ?? {};
  return conditions.some(({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded');
}

/** Quota and admission refuse pods, not the Deployment: its controller reports the reason. */
function refusedPods(deployment: Slim<Deployment>): string | undefined {
  const { conditions = [] } = deployment.status ?? {};
  return conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True')?.message?.slice(0, 300);
}
