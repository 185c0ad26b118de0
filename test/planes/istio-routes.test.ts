import { describeIstioRoutes } from '../scenarios/istio-routes.ts';
import { startIstioGround } from './istio-plane.ts';

describeIstioRoutes(startIstioGround);
