import type { Canary } from '../../api/canary.ts';
import type { Labels } from '../../api/kube-object.ts';
import { fluxOff } from '../../api/names.ts';
import { withoutSpecRecords } from '../../api/tracking-metadata.ts';

/** On the Canary: the nodes write their access logs to the standard output. */
const ACCESS_LOG = 'appmesh.flagger.app/accesslog';
const GATEWAY = 'gateway.appmesh.k8s.aws';

/** Metadata of `service.apex` on a VirtualNode. */
export function nodeMetadata({ metadata: { namespace }, spec: { service } }: Canary, name: string) {
  const { labels, annotations } = service.apex ?? {};
  return { name, namespace, ...(labels ? { labels: { ...labels } } : {}), annotations: { ...withoutSpecRecords(annotations), ...fluxOff } };
}

/** Annotations of the apex VirtualService by which a gateway exposes it: hosts end with a comma each, as in Flagger. */
export function gatewayAnnotations({ spec: { service } }: Canary): { annotations?: Labels } {
  const { hosts = [], timeout, retries } = service;
  if (hosts.length === 0) return {};
  return {
    annotations: {
      [`${GATEWAY}/expose`]: 'true',
      [`${GATEWAY}/domain`]: hosts.map((host) => `${host},`).join(''),
      ...(timeout ? { [`${GATEWAY}/timeout`]: timeout } : {}),
      ...((retries?.attempts ?? 0) > 0 ? { [`${GATEWAY}/retries`]: String(retries?.attempts) } : {}),
    },
  };
}

/** Fields of a VirtualNode that turn the access log on, if the Canary's annotation requires it. */
export function logging({ metadata }: Canary): object {
  return metadata.annotations?.[ACCESS_LOG] === 'enabled' ? { logging: { accessLog: { file: { path: '/dev/stdout' } } } } : {};
}

/** By the name of the port; routes are HTTP routes all the same. */
export function protocolOf({ spec: { service } }: Canary): 'grpc' | 'http' {
  return service.portName?.includes('grpc') ? 'grpc' : 'http';
}
