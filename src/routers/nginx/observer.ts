import type { Observers } from '../provider.ts';
import { bothSides, means, successRate } from '../queries/shapes.ts';

const ingress = 'namespace="{{ namespace }}",ingress="{{ ingress }}"';
const selector = `${ingress},canary!=""`;
const primary = `${ingress},service="{{ service }}",canary=""`;

export const nginxObservers: Observers = {
  Deployment: {
    name: 'nginx',
    ...successRate('nginx_ingress_controller_requests', selector, 'status!~"5.*"'),
    ...means('nginx_ingress_controller_response_duration_seconds', selector),
    durationUnit: 'ms',
    selectsWorkload: false,
    series: {
      requests: 'nginx_ingress_controller_requests',
      durations: 'nginx_ingress_controller_response_duration_seconds_count',
      canary: selector,
      primary,
      namespace: 'namespace="{{ namespace }}"',
      labels: ['namespace', 'ingress'],
    },
    // For a request to the canary the other labels are also those of the user's Ingress: its monitor.lua puts the alternative backend into `canary`.
    counters: bothSides(
      {
        requests: 'nginx_ingress_controller_requests',
        buckets: 'nginx_ingress_controller_response_duration_seconds_bucket',
        succeeded: 'status!~"5.*"',
        bucketUnit: 's',
      },
      selector,
      primary,
    ),
    // The Lua in nginx hands its counts to the controller once a second (FLUSH_INTERVAL of monitor.lua).
    counterDelayMs: 1_000,
  },
};
