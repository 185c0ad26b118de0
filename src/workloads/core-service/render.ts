import type { Canary } from '../../api/canary.ts';
import { asService, type ServiceSpec } from '../../api/kinds/service.ts';
import type { KubeObject, Slim } from '../../api/kube-object.ts';
import { ownerAnnotation, revisionAnnotation } from '../../api/names.ts';
import { trafficFieldsFor } from '../../api/service-traffic.ts';
import { withoutTracking } from '../../api/tracking-metadata.ts';
import { decidedSpec } from './allocated.ts';

/** A copy of the target Service under another name, which an API server of today takes. Without owner. */
export function copyOf(canary: Canary, target: Slim, name: string, revision: string, spec?: ServiceSpec): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace: canary.metadata.namespace,
      labels: withoutTracking(target.metadata.labels),
      annotations: {
        ...withoutTracking(target.metadata.annotations),
        [ownerAnnotation]: canary.metadata.uid,
        [revisionAnnotation]: revision,
      },
    },
    spec: spec ?? decidedFor(canary, target),
  };
}

/** Traffic fields of the Canary hold for every Service of its release, after a promotion too. */
export function decidedFor({ spec }: Canary, target: Slim): ServiceSpec {
  return { ...decidedSpec(target), ...trafficFieldsFor(spec.service, asService(target).spec?.type ?? 'ClusterIP') };
}
