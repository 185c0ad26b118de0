import { describeGatewayApi } from '../scenarios/gateway-api.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';

describeGatewayApi(aStage(startVirtualStage));
