import { asDeployment } from '../../api/kinds/deployment.ts';
import type { Slim } from '../../api/kube-object.ts';

/** Set by the Deployment controller before it reports that it has observed a generation. Source: Kubernetes documentation, "Rollout history". */
const REVISION = 'deployment.kubernetes.io/revision';

/** Number of templates that a Deployment has had; undefined while it is paused, since its controller counts none then. */
export function revisionNumber(deployment: Slim): string | undefined {
  const { metadata, spec } = asDeployment(deployment);
  return spec?.paused === true ? undefined : metadata.annotations?.[REVISION];
}

/** The number belongs to the present template. A template that comes together with other replicas is observed before it is counted: then no pod is updated. */
export function hasCountedTemplate(deployment: Slim): boolean {
  const { metadata, status } = asDeployment(deployment);
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0 } = status ?? {};
  return observedGeneration >= (metadata.generation ?? 0) && (replicas === 0 || updatedReplicas > 0);
}
