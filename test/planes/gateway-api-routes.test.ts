import { describeGatewayApiRoutes } from '../scenarios/gateway-api-routes.ts';
import { startGatewayPlane, throughEdge } from './gateway-plane.ts';
import { startGround } from './ground.ts';

describeGatewayApiRoutes(throughEdge, () => startGround(startGatewayPlane, { judgesHttpRoutes: false }));
