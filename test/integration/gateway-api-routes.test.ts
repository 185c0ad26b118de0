import { describeGatewayApiRoutes } from '../scenarios/gateway-api-routes.ts';
import { gatewayApi } from '../scenarios/providers/gateway-api.ts';
import { startShareEnvironment } from '../scenarios/shares/share-environment.ts';
import { enterVirtual, playTests } from '../scenarios/world.ts';

// The same through a Gateway of the real Contour: `npm run test:planes`.
enterVirtual(1);
playTests();
describeGatewayApiRoutes(gatewayApi, () => startShareEnvironment(1));
