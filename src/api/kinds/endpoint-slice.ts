import type { KubeObject } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

export interface EndpointSlice extends KubeObject {
  kind: 'EndpointSlice';
  /** Null for an empty list, as with `ports`: Go encodes it so. */
  endpoints?: DiscoveryEndpoint[] | null;
  ports?: EndpointPort[] | null;
  /** Number of ready endpoints, in place of the endpoints of a slim slice. */
  ready?: number;
}
export const asEndpointSlice = kindReader<EndpointSlice>('EndpointSlice');

export interface DiscoveryEndpoint {
  /** An absent `ready` is unknown, and counts as ready. */
  addresses?: string[];
  nodeName?: string;
  zone?: string;
  targetRef?: { kind?: string; name?: string; namespace?: string };
  hints?: { forZones?: { name: string }[]; forNodes?: { name: string }[] };
  conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
  [field: string]: unknown;
}

export interface EndpointPort {
  name?: string;
  port?: number;
  protocol?: string;
  appProtocol?: string;
}
