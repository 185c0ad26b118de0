import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeGatewayApi } from '../scenarios/gateway-api.ts';

describeGatewayApi(aStage(startRealStage));
