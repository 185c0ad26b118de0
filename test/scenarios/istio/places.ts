import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { ShareEnvironment } from '../shares/share-environment.ts';

/** Origin of requests: a pod of the mesh, or the ingress gateway. */
export interface Place {
  namespace: string;
  labels: Record<string, string>;
}

export const CLIENT: Place = { namespace: 'clients', labels: { app: 'client' } };
export const GATEWAY: Place = { namespace: 'gateways', labels: { istio: 'ingress' } };
export const GATEWAY_PORT = 8000;
/** As `service.gateways` names it. */
export const GATEWAY_NAME = `${GATEWAY.namespace}/public`;

/** The user's Gateway, which takes every host. */
export const gatewayObject: KubeObject = {
  apiVersion: 'networking.istio.io/v1beta1',
  kind: 'Gateway',
  metadata: { name: 'public', namespace: GATEWAY.namespace },
  spec: {
    selector: GATEWAY.labels,
    // On loopback, because pods have ports of their own.
    servers: [{ port: { number: GATEWAY_PORT, name: 'http', protocol: 'HTTP' }, hosts: ['*'], bind: '127.0.0.1' }],
  },
};

export interface IstioEnvironment extends ShareEnvironment {
  /** Entry points of requests. Absent for the embedded mesh, which takes all requests and reads their origin from headers. */
  readonly entries?: {
    readonly gateway: string;
    /** Entry point of a client, by the port of the Service. */
    client(port: number): string;
  };
}
