import type { Condition } from '../../api/kinds/condition.ts';
import type { Deployment } from '../../api/kinds/deployment.ts';
import type { KnativeService, KnativeTraffic } from '../../api/kinds/knative-service.ts';
import { statusOf } from '../../api/kinds/spec-of.ts';
import type { KubeObject } from '../../api/kube-object.ts';

/** Ready when a pod of it is available; Knative gives a Revision up when its Deployment does. */
export function revisionConditions(deployment: Deployment | undefined): Condition[] {
  const progressing = (deployment?.status?.conditions ?? []).find(({ type }) => type === 'Progressing');
  const available = deployment?.status?.availableReplicas ?? 0;
  if (available > 0) return [{ type: 'Ready', status: 'True' }];
  if (progressing?.reason === 'ProgressDeadlineExceeded')
    return [{ type: 'Ready', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'its pods did not become ready in time' }];
  return [{ type: 'Ready', status: 'Unknown', reason: 'Deploying' }];
}

export const isReady = (object: KubeObject): boolean =>
  (statusOf<{ conditions: Condition[] }>(object).conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');

/** The traffic block with its revisions by name, or why it cannot be followed yet; what is in force then stays. */
export function resolveTraffic(
  service: KnativeService,
  revisions: readonly KubeObject[],
): { traffic: KnativeTraffic[] } | { waitsFor: string } {
  const latestReady = revisions.findLast(isReady)?.metadata.name;
  const { traffic: wanted = [] } = service.spec ?? {};
  const block: KnativeTraffic[] = wanted.length > 0 ? wanted : [{ latestRevision: true, percent: 100 }];
  const sum = block.reduce((total, { percent = 0 }) => total + percent, 0);
  if (sum !== 100) return { waitsFor: `percentages that sum to 100 instead of ${sum}` };
  const traffic: KnativeTraffic[] = [];
  for (const target of block) {
    const name = target.revisionName ?? latestReady;
    const revision = revisions.find(({ metadata }) => metadata.name === name);
    if (name === undefined || !revision) return { waitsFor: `revision ${name ?? 'that is ready'}` };
    if (!isReady(revision) && (target.percent ?? 0) > 0) return { waitsFor: `revision ${name} to be ready` };
    traffic.push({ ...target, revisionName: name, latestRevision: target.revisionName === undefined });
  }
  return { traffic };
}
