import { describe } from 'vitest';
import { describeServicePorts } from '../scenarios/gateway-api-ports.ts';
import { describeGatewayApiRoutes } from '../scenarios/gateway-api-routes.ts';
import { gatewayApi } from '../scenarios/providers/gateway-api.ts';
import { type ShareEnvironment, startShareEnvironment } from '../scenarios/shares/share-environment.ts';
import { afterAll, beforeAll, enterVirtual, playTests } from '../scenarios/world.ts';

// The same through a Gateway of the real Contour: `npm run test:planes`.
enterVirtual(1);
playTests();
describeGatewayApiRoutes(gatewayApi, () => startShareEnvironment(1));

describe('a route for a Service', () => {
  let environment: ShareEnvironment;
  beforeAll(async () => {
    environment = await startShareEnvironment(1);
  });
  afterAll(() => environment.stop());
  describeServicePorts(
    () => environment,
    () => environment.mesh.url(0),
  );
});
