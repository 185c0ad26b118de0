import { describeKnativeRows } from '../scenarios/knative-rows.ts';
import { startGround } from './ground.ts';
import { SERVING_NEEDS } from './knative.ts';
import { startKnativePlane } from './knative-plane.ts';

describeKnativeRows(() => startGround(startKnativePlane, SERVING_NEEDS));
