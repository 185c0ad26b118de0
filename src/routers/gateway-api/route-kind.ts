import type { Canary } from '../../api/canary.ts';

export type GatewayApiVersion = 'v1' | 'v1beta1';
export type RouteKind = 'HTTPRoute' | 'GRPCRoute';

/**
 * `service.appProtocol: grpc` requires a GRPCRoute, which only v1 has. Not `kubernetes.io/h2c`, nor a port named `grpc`: manifests of Flagger carry both on
 * HTTPRoutes.
 */
export function routeKindOf(canary: Canary, version: GatewayApiVersion): RouteKind {
  return version === 'v1' && canary.spec.service.appProtocol?.toLowerCase() === 'grpc' ? 'GRPCRoute' : 'HTTPRoute';
}
