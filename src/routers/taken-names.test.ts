import { describe, expect, it } from 'vitest';
import { aCanary } from '../../test/contracts/routers-cases.ts';
import type { Provider } from '../api/canary.ts';
import type { KubeObject } from '../api/kube-object.ts';
import { routers } from './index.ts';

interface Own {
  provider: Provider;
  apiVersion: string;
  kind: string;
  /** Leads only to the application, and says nothing else. */
  kept: object[];
  lost: object[];
}

const side = { name: 'shop', port: 8080 };
const ref = { name: 'shop', namespace: 'prod' };
const toApex = { inheritablePathMatchers: true, routeAction: { single: { kube: { ref, port: 8080 } } } };
const OWN: readonly Own[] = [
  {
    ...{ provider: 'traefik', apiVersion: 'traefik.io/v1alpha1', kind: 'TraefikService' },
    kept: [{ weighted: { services: [side] } }, { weighted: { services: [{ ...side, kind: 'Service', namespace: 'prod', weight: 3 }] } }],
    lost: [
      { weighted: { services: [side, { name: 'legacy', port: 80 }] } },
      { weighted: { services: [side], sticky: { cookie: {} } } },
      { weighted: { services: [{ ...side, scheme: 'h2c' }] } },
      { weighted: { services: [{ ...side, port: 9090 }] } },
      { weighted: { services: [{ ...side, kind: 'TraefikService' }] } },
      { mirroring: { ...side, mirrors: [{ name: 'audit', percent: 10 }] } },
      {},
    ],
  },
  {
    ...{ provider: 'gloo', apiVersion: 'gateway.solo.io/v1', kind: 'RouteTable' },
    kept: [
      { routes: [toApex] },
      {
        routes: [
          { matchers: [{ prefix: '/' }], routeAction: { single: { upstream: { name: 'prod-shop-8080', namespace: 'gloo-system' } } } },
        ],
      },
    ],
    lost: [
      { routes: [{ ...toApex, matchers: [{ prefix: '/static' }] }, toApex] },
      { routes: [{ ...toApex, options: { timeout: '3s' } }] },
      { routes: [{ ...toApex, matchers: [{ prefix: '/shop' }] }] },
      { routes: [{ routeAction: { single: { kube: { ref, port: 9090 } } } }] },
      { routes: [{ routeAction: { multi: { destinations: [] } } }] },
      { routes: [] },
    ],
  },
  {
    ...{ provider: 'linkerd', apiVersion: 'split.smi-spec.io/v1alpha1', kind: 'TrafficSplit' },
    kept: [
      { service: 'shop', backends: [{ service: 'shop', weight: '1' }] },
      { service: 'shop.prod', backends: [{ service: 'shop', weight: '1' }] },
    ],
    lost: [
      {
        service: 'shop',
        backends: [
          { service: 'shop', weight: '90' },
          { service: 'legacy', weight: '10' },
        ],
      },
      { service: 'front', backends: [{ service: 'shop', weight: '1' }] },
      { service: 'shop', matches: [{ kind: 'HTTPRouteGroup', name: 'x' }], backends: [{ service: 'shop' }] },
      { service: 'shop', backends: [] },
    ],
  },
];

describe.each(OWN)('I17: a $kind of the user’s under the name that Serin writes', ({ provider, apiVersion, kind, kept, lost }) => {
  const isRefused = (spec: object): boolean => {
    const own: KubeObject = { apiVersion, kind, metadata: { name: 'shop', namespace: 'prod' }, spec };
    return (routers[provider].unkept?.(aCanary(), [own]) ?? []).some((one) => one.isRefused);
  };

  it.each(kept)('%j loses nothing', (spec) => expect(isRefused(spec)).toBe(false));
  it.each(lost)('%j would lose what it says, and is refused', (spec) => expect(isRefused(spec)).toBe(true));
});
