import { describeGatewayApi } from '../suite/gateway-api.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

describeGatewayApi(aStage(startEmbeddedStage));
