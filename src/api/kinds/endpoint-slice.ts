import type { KubeObject } from '../kube-object.ts';
import { kindReader } from './kind-reader.ts';

export interface EndpointSlice extends KubeObject {
  kind: 'EndpointSlice';
  /** Null when there are none, as `ports`: Go writes an empty list so. */
  endpoints?: DiscoveryEndpoint[] | null;
  ports?: EndpointPort[] | null;
  /** In place of the endpoints in a slim slice: how many of them are ready. */
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
