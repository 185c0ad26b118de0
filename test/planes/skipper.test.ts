import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { describeKills } from '../scenarios/kills.ts';
import { skipper } from '../scenarios/providers/skipper.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeReleases } from '../scenarios/releases.ts';
import { describeShares } from '../scenarios/shares.ts';
import { startGround } from './ground.ts';
import { describeLag } from './lag.ts';
import { startSkipperPlane } from './skipper-plane.ts';

const start = () => startGround(startSkipperPlane);

describe('shares by Skipper', () => describeShares([skipper], { requests: 2_000, seed: 1, start }));

describe('Skipper', () => {
  const environmentOf = anEnvironment<RealEnvironment>(start);
  describeRealProxy(environmentOf, {
    fixture: skipper,
    name: 'skipper',
    start: async ({ mesh }) => ({ ...mesh, url: mesh.url(0), stop: async () => undefined }),
  });
  describeLag(skipper, environmentOf);
});

describeReleases('releases through Skipper', start, { split: false, mirror: false, fixture: skipper });

describe('kills with Skipper', () => describeKills(anEnvironment(start), [1, 2, 3], undefined, { fixture: skipper, proxiesKnowMs: 1_000 }));
