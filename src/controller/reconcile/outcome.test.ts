import { expect, it } from 'vitest';
import { pausedRoute } from './outcome.ts';

const route = { apiVersion: 'networking.istio.io/v1', kind: 'VirtualService', name: 'podinfo', namespace: 'test' };

it.each([
  {
    undoing: { field: 'spec.http', by: 'another', who: 'gitops' },
    wait: { code: 'RouteContested', detail: 'VirtualService podinfo: spec.http is changed back by gitops' },
  },
  {
    undoing: { field: 'spec.http', by: 'server' },
    wait: {
      code: 'RouteUnconfirmed',
      detail: 'VirtualService podinfo: spec.http does not hold, since the API server or an admission webhook drops it',
    },
  },
] as const)('I18: a route that waits under the brake is named as data, whose owner can act: $wait.code', ({ undoing, wait }) => {
  expect(pausedRoute(5_000, route, undoing).unconfirmed).toEqual({ ...wait, object: route });
});
