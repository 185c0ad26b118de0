import type { DiscoveryEndpoint } from '../../api/kinds/endpoint-slice.ts';
import type { KubeObject } from '../../api/kube-object.ts';

/** Whom clients of a Service reach, without addresses: names of pods are more useful. */
export function endpointsSummary({ metadata: { name, labels = {} }, addressType, endpoints = [] }: KubeObject): object {
  return {
    name,
    service: labels['kubernetes.io/service-name'],
    addressType,
    endpoints: ((endpoints ?? []) as DiscoveryEndpoint[]).map(({ conditions, zone, nodeName, hints, targetRef }) => ({
      of: targetRef && `${targetRef.kind}/${targetRef.name}`,
      ...conditions,
      zone,
      node: nodeName,
      hints,
    })),
  };
}
