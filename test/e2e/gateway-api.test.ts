import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeGatewayApi } from '../scenarios/gateway-api.ts';

describeGatewayApi(anEnvironment(startRealEnvironment));
