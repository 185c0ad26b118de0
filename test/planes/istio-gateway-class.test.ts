import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { describeKills } from '../scenarios/kills.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeReleases } from '../scenarios/releases.ts';
import { describeShares } from '../scenarios/shares.ts';
import { applicationSeries } from './application-metrics.ts';
import { startGround } from './ground.ts';
import { istioProxyCase } from './istio-case.ts';
import { startIstioGatewayClass, throughIstio } from './istio-gateway-class.ts';
import { describeLag } from './lag.ts';

const start = () => startGround(startIstioGatewayClass, { judgesHttpRoutes: false });

describe('shares by a Gateway of istiod', () => describeShares([throughIstio], { requests: 2_000, seed: 1, start }));

describe('a Gateway of istiod', () => {
  const environmentOf = anEnvironment<RealEnvironment>(start);
  describeRealProxy(environmentOf, { ...istioProxyCase, ...applicationSeries, fixture: throughIstio, name: 'istio-gateway-class' });
  describeLag(throughIstio, environmentOf);
});

describeReleases('releases through a Gateway of istiod', start, { split: false, fixture: throughIstio });

describe('kills with a Gateway of istiod', () => describeKills(anEnvironment(start), [1, 2, 3], undefined, { fixture: throughIstio }));
