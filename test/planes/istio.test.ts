import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { OUTLIERS } from '../scenarios/istio/policies.ts';
import { describeKills } from '../scenarios/kills.ts';
import { istio } from '../scenarios/providers/istio.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeReleases } from '../scenarios/releases.ts';
import { describeShares } from '../scenarios/shares.ts';
import { startGround } from './ground.ts';
import { istioProxyCase } from './istio-case.ts';
import { startIstioPlane } from './istio-plane.ts';
import { describeLag } from './lag.ts';

const start = () => startGround(startIstioPlane);

describe('shares by istiod and Envoy', () => describeShares([istio], { requests: 2_000, seed: 1, start }));

describe('istiod and Envoy', () => {
  const environment = anEnvironment<RealEnvironment>(start);
  describeRealProxy(environment, istioProxyCase);
  describe('with a policy that leaves out pods that fail', () => {
    // With all of them left out, Envoy itself answers 503 to a bad canary's share of the users (docs/meshes.md).
    const outlierDetection = { ...OUTLIERS.outlierDetection, maxEjectionPercent: 50 };
    const service = () => ({ trafficPolicy: { outlierDetection } });
    describeRealProxy(environment, { ...istioProxyCase, fixture: { ...istio, service }, name: 'istio-outliers' });
  });
  describeLag(istio, environment);
});

describeReleases('releases through istiod and Envoy', start, { split: false });

describe('kills with istiod and Envoy', () => describeKills(anEnvironment(start), [1, 2, 3]));
