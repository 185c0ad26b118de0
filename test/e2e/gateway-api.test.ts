import { describeGatewayApi } from '../scenarios/gateway-api.ts';
import { aStage, startRealStage } from '../scenarios/stage.ts';

describeGatewayApi(aStage(startRealStage));
