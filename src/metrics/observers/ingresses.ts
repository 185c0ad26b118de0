import type { Observer } from './observer.ts';
import { means, percentiles, successRate } from './shapes.ts';

const ingress = { durationUnit: 'ms', selectsWorkload: false } as const;

const nginxSelector = 'namespace="{{ namespace }}",ingress="{{ ingress }}",canary!=""';
/** Source: 05-B21. */
export const nginx: Observer = {
  ...ingress,
  name: 'nginx',
  ...successRate('nginx_ingress_controller_requests', nginxSelector, 'status!~"5.*"'),
  ...means('nginx_ingress_controller_response_duration_seconds', nginxSelector),
};

const skipperRoute = 'route=~"kube(ew)?_{{ namespace }}__{{ ingress }}_canary__.*__{{ service }}_canary(_[0-9]+)?"';
/** Source: 05-B22. */
export const skipper: Observer = {
  ...ingress,
  name: 'skipper',
  ...successRate('skipper_response_duration_seconds_bucket', `${skipperRoute},le="+Inf"`, 'code!~"5.."'),
  ...means('skipper_serve_route_duration_seconds', skipperRoute),
  underscoreNames: true,
};

/** By the Service's name, as our router names the canary (05-W11). */
const traefikService = 'service=~"{{ namespace }}-{{ service }}-canary-[0-9a-zA-Z-]+@kubernetescrd"';
/** Source: 05-B20. */
export const traefik: Observer = {
  ...ingress,
  name: 'traefik',
  ...successRate('traefik_service_request_duration_seconds_bucket', `${traefikService},le="+Inf"`, 'code!~"5.."'),
  ...percentiles('traefik_service_request_duration_seconds_bucket', traefikService, ' * 1000'),
};

/** By the Service's name, as our router names the canary (05-W11). */
const apisixRoute = 'route=~"{{ namespace }}_{{ route }}-{{ service }}-canary_.+"';
/** Source: 05-B19. */
export const apisix: Observer = {
  ...ingress,
  name: 'apisix',
  ...successRate('apisix_http_status', apisixRoute, 'code!~"5.."'),
  ...percentiles('apisix_http_latency_bucket', `type=~"request",${apisixRoute}`),
};
