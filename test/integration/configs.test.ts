import { describeConfigs } from '../suite/configs.ts';
import { startEmbeddedStage } from '../suite/stage.ts';

describeConfigs('configs on the embedded cluster', startEmbeddedStage);
