import { anEnvironment } from '../scenarios/environment.ts';
import { describeIntroducedRoutes } from '../scenarios/introduced-routes.ts';
import { startGround } from './ground.ts';
import { startIstioGatewayClass, throughIstio } from './istio-gateway-class.ts';

describeIntroducedRoutes(
  anEnvironment(() => startGround(startIstioGatewayClass, { judgesHttpRoutes: false })),
  throughIstio,
);
