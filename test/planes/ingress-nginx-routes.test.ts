import { describeNginxRoutes } from '../scenarios/nginx-routes.ts';
import { startGround } from './ground.ts';
import { startIngressNginxPlane } from './ingress-nginx-plane.ts';

describeNginxRoutes(() => startGround(startIngressNginxPlane));
