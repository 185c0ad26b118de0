import { describe } from 'vitest';
import { nginx } from '../scenarios/providers/nginx.ts';
import { describeShares } from '../scenarios/shares.ts';
import { startGround } from './ground.ts';
import { startIngressNginxPlane } from './ingress-nginx-plane.ts';

const start = () => startGround(startIngressNginxPlane);

describe('shares by ingress-nginx', () => describeShares([nginx], { requests: 2_000, seed: 1, start }));
