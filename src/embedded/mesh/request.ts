import type { IncomingHttpHeaders } from 'node:http';

/** A request as routes see it. */
export interface MeshRequest {
  method: string;
  /** With its query. */
  url: string;
  headers: IncomingHttpHeaders;
  host: ServiceHost;
  /** Gateway `namespace/name` that it entered by; `mesh` for one from inside. */
  gateway: string;
  sourceLabels: Record<string, string>;
}

/** A host name; `service` when it can name one in the cluster. */
export interface ServiceHost {
  text: string;
  service?: { name: string; namespace: string };
}

const CLUSTER_SUFFIX = /^(?:svc(?:\.cluster(?:\.local)?)?)?$/;

/** `name`, `name.ns`, `name.ns.svc` or `name.ns.svc.cluster.local`; a port is dropped. */
export function parseHost(host: string, defaultNamespace: string): ServiceHost {
  const text = host.split(':')[0] ?? '';
  const [name = '', namespace = defaultNamespace, ...rest] = text.split('.');
  return name !== '' && CLUSTER_SUFFIX.test(rest.join('.')) ? { text, service: { name, namespace } } : { text };
}

export const pathOf = (url: string): string => url.split('?')[0] ?? '/';
