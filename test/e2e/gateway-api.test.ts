import { describeGatewayApi } from '../suite/gateway-api.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describeGatewayApi(aStage(startRealStage));
