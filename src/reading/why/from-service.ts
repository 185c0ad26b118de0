import { needsNoOne } from '../../api/codes/codes.ts';
import { asKnativeService } from '../../api/kinds/knative-service.ts';
import { primaryRevisionAnnotation } from '../../api/knative.ts';
import type { KubeObject } from '../../api/kube-object.ts';
import { fieldProof, type Trouble } from './finding.ts';

/** Reason for which a Revision does not serve: from its pods if one of them says it, else from its Knative Service. */
export function fromKnative(service: KubeObject, role: 'target' | 'primary', pods: Trouble | undefined): Trouble {
  const { status } = asKnativeService(service);
  const unmet = status?.conditions?.find((one) => one.type === 'Ready' && one.status !== 'True');
  const named =
    role === 'target'
      ? fieldProof(service, 'status.latestCreatedRevisionName', status?.latestCreatedRevisionName)
      : fieldProof(
          service,
          `metadata.annotations[${primaryRevisionAnnotation}]`,
          service.metadata.annotations?.[primaryRevisionAnnotation],
        );
  if (pods && !needsNoOne(pods.cause)) return { ...pods, proof: [...pods.proof, named] };
  const said = unmet && [unmet.reason, unmet.message].filter(Boolean).join(': ');
  const hasFailed = unmet?.status === 'False';
  return {
    cause: hasFailed ? 'RolloutStalled' : 'PodsStarting',
    proof: [named, ...(said ? [fieldProof(service, 'status.conditions[Ready].message', said)] : [])],
    action: hasFailed ? 'push a version that becomes ready: its Revision says what is wrong' : 'nothing to do but wait for its Revision',
    ...(hasFailed ? { change: { template: '' } } : {}),
    look: `kubectl describe revisions.serving.knative.dev ${named.value} -n ${service.metadata.namespace}`,
  };
}

/** The pods of a Service have another owner: only an endpoint can be missing. */
export function fromService(service: KubeObject): Trouble {
  const { name, namespace } = service.metadata;
  return {
    cause: 'PodsStarting',
    proof: [fieldProof(service, 'spec.selector')],
    action: 'bring up pods that this selector finds, and let them become ready',
    change: { template: '' },
    look: `kubectl get endpointslices -n ${namespace} -l kubernetes.io/service-name=${name}`,
  };
}
