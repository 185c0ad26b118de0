import { apisixRoute } from './apisix-route.ts';
import { gatewayApiMesh } from './gateway-api.ts';
import { httpProxy } from './http-proxy.ts';
import { ingressRoute } from './ingress-route.ts';
import { knativeService } from './knative-service.ts';
import { nginxIngress } from './nginx-ingress.ts';
import type { RouteResolver } from './resolver.ts';
import { routeTable } from './route-table.ts';
import { skipperIngress } from './skipper-ingress.ts';
import { trafficSplit } from './traffic-split.ts';
import { virtualService } from './virtual-service.ts';

/** Every traffic provider that the proxies understand; the first provider with an object for a request decides. */
export const resolvers: readonly RouteResolver[] = [
  virtualService,
  trafficSplit,
  knativeService,
  gatewayApiMesh,
  nginxIngress,
  skipperIngress,
  ingressRoute,
  apisixRoute,
  httpProxy,
  routeTable,
];
