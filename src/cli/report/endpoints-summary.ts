import type { KubeObject } from '../../api/kube-object.ts';

interface Endpoint {
  conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
  zone?: string;
  nodeName?: string;
  hints?: object;
  targetRef?: { kind?: string; name?: string };
}

/** Whom clients of a Service reach, without addresses: names of pods are more useful. */
export function endpointsSummary({ metadata: { name, labels = {} }, addressType, endpoints = [] }: KubeObject): object {
  return {
    name,
    service: labels['kubernetes.io/service-name'],
    addressType,
    endpoints: ((endpoints ?? []) as Endpoint[]).map(({ conditions, zone, nodeName, hints, targetRef }) => ({
      of: targetRef && `${targetRef.kind}/${targetRef.name}`,
      ...conditions,
      zone,
      node: nodeName,
      hints,
    })),
  };
}
