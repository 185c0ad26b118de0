import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeGatewayApi } from '../scenarios/gateway-api.ts';

describeGatewayApi(anEnvironment(startVirtualEnvironment));
