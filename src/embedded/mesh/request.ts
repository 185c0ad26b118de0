import type { IncomingHttpHeaders } from 'node:http';

/** Where a request goes, whichever object said so. */
export interface Destination {
  name: string;
  namespace: string;
  /** Port of the Service, by default whichever it has. */
  port?: number;
}

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
  /** Absent for a client in no namespace. */
  sourceNamespace?: string;
}

/** A host name; `service` when it can name one in the cluster. */
interface ServiceHost {
  text: string;
  service?: Destination;
  /** Absent if the text names none. */
  port?: number;
}

const CLUSTER_SUFFIX = /^(?:svc(?:\.cluster(?:\.local)?)?)?$/;

/** `name`, `name.ns`, `name.ns.svc` or `name.ns.svc.cluster.local`, with or without a port. */
export function parseHost(host: string, defaultNamespace: string): ServiceHost {
  const [text = '', digits = ''] = host.split(':');
  const port = /^\d+$/.test(digits) ? { port: Number(digits) } : {};
  const [name = '', namespace = defaultNamespace, ...rest] = text.split('.');
  return name !== '' && CLUSTER_SUFFIX.test(rest.join('.')) ? { text, ...port, service: { name, namespace } } : { text, ...port };
}

export const requestPath = (url: string): string => url.split('?')[0] ?? '/';

/** `undefined` if the request has no such header. */
export const headerOf = ({ headers }: MeshRequest, name: string): string | undefined => headers[name.toLowerCase()]?.toString();

/** `undefined` if the query has no such parameter. */
export const queryOf = ({ url }: MeshRequest, name: string): string | undefined =>
  new URLSearchParams(url.split('?')[1] ?? '').get(name) ?? undefined;

/** Query parameter as Envoy reads it: nothing is decoded, and the first of two of one name counts. */
export function queryAsWritten({ url }: MeshRequest, name: string): string | undefined {
  const [, query = ''] = /^[^?]*\?(.*)$/s.exec(url) ?? [];
  const found = query.split('&').find((part) => part === name || part.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}
