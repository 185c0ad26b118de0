import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { describeKills } from '../scenarios/kills.ts';
import { traefik } from '../scenarios/providers/traefik.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeReleases } from '../scenarios/releases.ts';
import { describeShares } from '../scenarios/shares.ts';
import { describeTakeovers } from '../scenarios/takeovers.ts';
import { startGround } from './ground.ts';
import { describeLag } from './lag.ts';
import { startTraefikPlane } from './traefik-plane.ts';

const start = () => startGround(startTraefikPlane({ safeNaming: false }));
const startWithSafeNames = () => startGround(startTraefikPlane({ safeNaming: true }));

describe('shares by Traefik', () => describeShares([traefik], { requests: 2_000, seed: 1, start }));

describe('Traefik', () => {
  const environmentOf = anEnvironment<RealEnvironment>(start);
  describeRealProxy(environmentOf, {
    fixture: traefik,
    name: 'traefik',
    start: async ({ mesh }) => ({ ...mesh, url: mesh.url(0), stop: async () => undefined }),
    series: (more) =>
      `sum(rate(traefik_service_requests_total{service=~"{{ namespace }}-{{ service }}-canary-[0-9a-zA-Z-]+@kubernetescrd"${more}}[{{ interval }}]))`,
    statusLabel: 'code',
  });
  describeLag(traefik, environmentOf);
});

describeReleases('releases through Traefik with safeNaming', startWithSafeNames, { split: false, fixture: traefik });

// It follows a change within two seconds.
describe('kills with Traefik', () =>
  describeKills(anEnvironment(startWithSafeNames), [1, 2, 3], undefined, { fixture: traefik, proxiesKnowMs: 2_500 }));

describe('takeovers through Traefik', () => describeTakeovers(anEnvironment(start), traefik));
