import type { Observers } from '../provider.ts';
import { means, successRate } from '../queries/shapes.ts';

const selector = 'namespace="{{ namespace }}",ingress="{{ ingress }}",canary!=""';

/** Source: 05-B21. */
export const nginxObservers: Observers = {
  Deployment: {
    name: 'nginx',
    ...successRate('nginx_ingress_controller_requests', selector, 'status!~"5.*"'),
    ...means('nginx_ingress_controller_response_duration_seconds', selector),
    durationUnit: 'ms',
    selectsWorkload: false,
    // The Lua in nginx hands its counts to the controller once a second (FLUSH_INTERVAL of monitor.lua).
    counterDelayMs: 1_000,
  },
};
