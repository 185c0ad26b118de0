import { knativeTrafficSuite } from '../scenarios/knative-traffic.ts';
import { startGround } from './ground.ts';
import { SERVING_NEEDS } from './knative.ts';
import { startKnativePlane } from './knative-plane.ts';

knativeTrafficSuite('the real Knative Serving', () => startGround(startKnativePlane, SERVING_NEEDS));
