import { anEnvironment } from '../scenarios/environment.ts';
import { describeIntroducedRoutes } from '../scenarios/introduced-routes.ts';
import { startGatewayPlane, throughEdge } from './gateway-plane.ts';
import { startGround } from './ground.ts';

describeIntroducedRoutes(
  anEnvironment(() => startGround(startGatewayPlane, { judgesHttpRoutes: false })),
  throughEdge,
);
