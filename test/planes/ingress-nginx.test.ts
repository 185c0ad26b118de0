import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { describeKills } from '../scenarios/kills.ts';
import { nginx } from '../scenarios/providers/nginx.ts';
import { describeRealProxy } from '../scenarios/real-proxy.ts';
import { describeReleases } from '../scenarios/releases.ts';
import { describeShares } from '../scenarios/shares.ts';
import { startGround } from './ground.ts';
import { startIngressNginxPlane } from './ingress-nginx-plane.ts';

const start = () => startGround(startIngressNginxPlane);

describe('shares by ingress-nginx', () => describeShares([nginx], { requests: 2_000, seed: 1, start }));

describe('ingress-nginx', () =>
  describeRealProxy(anEnvironment<RealEnvironment>(start), {
    fixture: nginx,
    name: 'nginx',
    start: async ({ mesh }) => ({ ...mesh, url: mesh.url(0), stop: async () => undefined }),
    series: (more) =>
      `sum(rate(nginx_ingress_controller_requests{namespace="{{ namespace }}",ingress="{{ ingress }}",canary!=""${more}}[{{ interval }}]))`,
    statusLabel: 'status',
  }));

describeReleases('releases through ingress-nginx', start, { split: false, mirror: false, fixture: nginx });

// Its Lua follows a change a second later, and hands over what it counted another second later.
describe('kills with ingress-nginx', () =>
  describeKills(anEnvironment(start), [1, 2, 3], undefined, { fixture: nginx, proxiesKnowMs: 2_000 }));
