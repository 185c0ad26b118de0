import { describe } from 'vitest';
import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { describeKnativeKills } from '../scenarios/kinds/kills.ts';
import { knativeApplication } from '../scenarios/kinds/knative.ts';
import { describeKinds } from '../scenarios/kinds.ts';
import { knative } from '../scenarios/providers/knative.ts';
import { describeShares } from '../scenarios/shares.ts';
import { startGround } from './ground.ts';
import { SERVING_NEEDS } from './knative.ts';
import { startKnativePlane } from './knative-plane.ts';
import { describeLag } from './lag.ts';

const start = () => startGround(startKnativePlane, SERVING_NEEDS);

describe('shares by Knative Serving', () => describeShares([knative], { requests: 2_000, seed: 1, start }));

describe('Knative Serving', () => {
  const environmentOf = anEnvironment<RealEnvironment>(start);
  describeLag(knative, environmentOf);
  describeKinds(environmentOf, { 'Knative Service': knativeApplication });
});

describe('kills with Knative Serving', () => describeKnativeKills(anEnvironment(start), [1, 2, 3]));
