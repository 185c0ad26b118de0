import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { istioGateway } from '../scenarios/providers/istio-gateway.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeShares } from '../scenarios/shares.ts';
import { startGround } from './ground.ts';
import { istioProxyCase } from './istio-case.ts';
import { startIstioGateway } from './istio-plane.ts';
import { describeLag } from './lag.ts';

const start = () => startGround(startIstioGateway);

describe("shares by Istio's ingress gateway", () => describeShares([istioGateway], { requests: 2_000, seed: 1, start }));

describe("Istio's ingress gateway", () => {
  const environment = anEnvironment<RealEnvironment>(start);
  describeRealProxy(environment, { ...istioProxyCase, fixture: istioGateway, name: 'istio-gateway' });
  describeLag(istioGateway, environment);
});
