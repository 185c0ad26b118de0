import { describeGatewayApi } from '../suite/gateway-api.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describeGatewayApi(aStage(startVirtualStage));
