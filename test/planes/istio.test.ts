import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { describeKills } from '../scenarios/kills.ts';
import { istio } from '../scenarios/providers/istio.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeReleases } from '../scenarios/releases.ts';
import { describeShares } from '../scenarios/shares.ts';
import { startGround } from './ground.ts';
import { startIstioPlane } from './istio-plane.ts';

const start = () => startGround(startIstioPlane);

describe('shares by istiod and Envoy', () => describeShares([istio], { requests: 2_000, seed: 1, start }));

describe('istiod and Envoy', () =>
  describeRealProxy(anEnvironment<RealEnvironment>(start), {
    fixture: istio,
    name: 'istio',
    start: async ({ mesh }) => ({ ...mesh, url: mesh.url(0), stop: async () => undefined }),
    series: (more) =>
      `sum(rate(istio_requests_total{destination_workload_namespace="{{ namespace }}",destination_workload="{{ target }}"${more}}[{{ interval }}]))`,
    statusLabel: 'response_code',
  }));

describeReleases('releases through istiod and Envoy', start, { split: false });

describe('kills with istiod and Envoy', () => describeKills(anEnvironment(start), [1, 2, 3]));
