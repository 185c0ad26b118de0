import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { describeKills } from '../scenarios/kills.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeReleases } from '../scenarios/releases.ts';
import { describeShares } from '../scenarios/shares.ts';
import { describeTakeovers } from '../scenarios/takeovers.ts';
import { applicationSeries } from './application-metrics.ts';
import { startGatewayPlane, throughEdge } from './gateway-plane.ts';
import { startGround } from './ground.ts';
import { describeLag } from './lag.ts';

const start = () => startGround(startGatewayPlane, { judgesHttpRoutes: false });

describe('shares by a Gateway of Contour', () => describeShares([throughEdge], { requests: 2_000, seed: 1, start }));

describe('a Gateway of Contour', () => {
  const environmentOf = anEnvironment<RealEnvironment>(start);
  describeRealProxy(environmentOf, {
    fixture: throughEdge,
    name: 'gateway-api',
    start: async ({ mesh }) => ({ ...mesh, url: mesh.url(0), stop: async () => undefined }),
    ...applicationSeries,
  });
  describeLag(throughEdge, environmentOf);
});

describeReleases('releases through a Gateway of Contour', start, { split: false, fixture: throughEdge });

describe('kills with a Gateway of Contour', () => describeKills(anEnvironment(start), [1, 2, 3], undefined, { fixture: throughEdge }));

describe('takeovers through a Gateway of Contour', () => describeTakeovers(anEnvironment(start), throughEdge));
