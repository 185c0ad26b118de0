import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeGatewayApi } from '../scenarios/gateway-api.ts';

describeGatewayApi(aStage(startVirtualStage));
