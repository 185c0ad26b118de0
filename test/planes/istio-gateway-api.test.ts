import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { describeServicePorts } from '../scenarios/gateway-api-ports.ts';
import { istioGatewayApi as fixture } from '../scenarios/providers/gateway-api.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeShares } from '../scenarios/shares.ts';
import { startGround } from './ground.ts';
import { istioProxyCase } from './istio-case.ts';
import { startIstioGatewayApi } from './istio-plane.ts';
import { describeLag } from './lag.ts';

const start = () => startGround(startIstioGatewayApi);

describe('shares by the Gateway API in istiod', () => describeShares([fixture], { requests: 2_000, seed: 1, start }));

describe('the Gateway API in istiod', () => {
  const environmentOf = anEnvironment<RealEnvironment>(start);
  describeRealProxy(environmentOf, { ...istioProxyCase, fixture, name: 'istio-gateway-api' });
  describeLag(fixture, environmentOf);
  describeServicePorts(environmentOf, (port) => `http://127.0.0.1:${port}`);
});
