import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { describeKills } from '../scenarios/kills.ts';
import { contour } from '../scenarios/providers/contour.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeReleases } from '../scenarios/releases.ts';
import { describeShares } from '../scenarios/shares.ts';
import { describeTakeovers } from '../scenarios/takeovers.ts';
import { startContourPlane } from './contour-plane.ts';
import { startGround } from './ground.ts';
import { describeLag } from './lag.ts';

const start = () => startGround(startContourPlane);

describe('shares by Contour and Envoy', () => describeShares([contour], { requests: 2_000, seed: 1, start }));

describe('Contour and Envoy', () => {
  const environmentOf = anEnvironment<RealEnvironment>(start);
  describeRealProxy(environmentOf, {
    fixture: contour,
    name: 'contour',
    start: async ({ mesh }) => ({ ...mesh, url: mesh.url(0), stop: async () => undefined }),
    series: (more) =>
      `sum(rate(envoy_cluster_upstream_rq{envoy_cluster_name="{{ namespace }}_{{ service }}-canary_80"${more}}[{{ interval }}]))`,
    statusLabel: 'envoy_response_code',
  });
  describeLag(contour, environmentOf);
});

describeReleases('releases through Contour and Envoy', start, { split: false, fixture: contour });

describe('kills with Contour and Envoy', () => describeKills(anEnvironment(start), [1, 2, 3], undefined, { fixture: contour }));

describe('takeovers through Contour', () => describeTakeovers(anEnvironment(start), contour));
