import { error, type Finding, type Scope, warning } from './finding.ts';
import { names } from './names.ts';

const field = 'spec.autoscalerRef';

/** Everything about the scaler of the target. */
export function* scalerFindings({ canary }: Scope): Generator<Finding> {
  const { autoscalerRef, targetRef } = canary.spec;
  const { primaryScaler } = names(canary);
  if (!autoscalerRef || primaryScaler === undefined) return;
  const { minReplicas, maxReplicas } = autoscalerRef.primaryScalerReplicas ?? {};
  if (primaryScaler.length > 253)
    yield error(`${field}.name`, `has ${autoscalerRef.name.length} characters, so that with -primary it passes 253: use at most 245`);
  if (minReplicas !== undefined && maxReplicas !== undefined && minReplicas > maxReplicas)
    yield error(`${field}.primaryScalerReplicas.minReplicas`, `is ${minReplicas}, above maxReplicas ${maxReplicas}: lower it`);
  for (const ofKeda of ['primaryScalerQueries', 'primaryScalerTriggers'] as const) {
    if (autoscalerRef.kind === 'HorizontalPodAutoscaler' && autoscalerRef[ofKeda])
      yield warning(`${field}.${ofKeda}`, 'has no effect with a HorizontalPodAutoscaler: remove it, or use a ScaledObject');
  }
  const isIdle = targetRef.kind === 'DaemonSet' || (targetRef.kind === 'Service' && targetRef.apiVersion === 'v1');
  if (isIdle) yield warning(field, `has no effect on a ${targetRef.kind}, whose pods are not Serin's to scale: remove it`);
}
