import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { gatewayApiMesh } from '../scenarios/providers/gateway-api.ts';
import type { ProviderFixture } from '../scenarios/providers/provider-fixture.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeShares } from '../scenarios/shares.ts';
import { startGround } from './ground.ts';
import { istioProxyCase } from './istio-case.ts';
import { startIstioGatewayApi } from './istio-plane.ts';
import { describeLag } from './lag.ts';

const start = () => startGround(startIstioGatewayApi);

/** Istio takes the core group by its own name only, which is empty. */
const fixture: ProviderFixture = {
  ...gatewayApiMesh,
  provider: 'gatewayapi:v1',
  service: ({ name, namespace }) => ({ gatewayRefs: [{ group: '', kind: 'Service', name, namespace, port: 80 }] }),
  route: ({ name, namespace }) => ({ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', name, namespace }),
};

describe('shares by the Gateway API in istiod', () => describeShares([fixture], { requests: 2_000, seed: 1, start }));

describe('the Gateway API in istiod', () => {
  const environmentOf = anEnvironment<RealEnvironment>(start);
  describeRealProxy(environmentOf, { ...istioProxyCase, fixture, name: 'istio-gateway-api' });
  describeLag(fixture, environmentOf);
});
