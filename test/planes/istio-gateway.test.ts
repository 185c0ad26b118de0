import { describe } from 'vitest';
import { anEnvironment } from '../scenarios/environment.ts';
import { istioGateway } from '../scenarios/providers/istio-gateway.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeShares } from '../scenarios/shares.ts';
import { istioProxyCase } from './istio-case.ts';
import { startIstioMetrics } from './istio-metrics.ts';
import { startIstioGround } from './istio-plane.ts';
import { describeLag } from './lag.ts';

type Ground = Awaited<ReturnType<typeof startIstioGround>>;
const byGateway = (ground: Ground): Ground => ({ ...ground, mesh: { ...ground.mesh, url: () => ground.entries?.gateway ?? '' } });

describe("shares by Istio's ingress gateway", () =>
  describeShares([istioGateway], { requests: 2_000, seed: 1, start: () => startIstioGround().then(byGateway) }));

describe("Istio's ingress gateway", () => {
  const environmentOf = anEnvironment(startIstioGround);
  describeRealProxy(environmentOf, {
    ...istioProxyCase,
    fixture: istioGateway,
    name: 'istio-gateway',
    async start() {
      const ground = environmentOf();
      const { url, stop } = await startIstioMetrics(ground.gatewayAdmin);
      return { ...ground.mesh, url: byGateway(ground).mesh.url(0), metricsUrl: url, stop };
    },
  });
  describeLag(istioGateway, () => byGateway(environmentOf()));
});
