import { describeIstioRoutes } from '../scenarios/istio-routes.ts';
import { startGround } from './ground.ts';
import { startIstioPlane } from './istio-plane.ts';

describeIstioRoutes(() => startGround(startIstioPlane));
