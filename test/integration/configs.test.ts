import { describeConfigs } from '../scenarios/configs.ts';
import { startVirtualStage } from '../scenarios/stage.ts';

describeConfigs('configs on the embedded cluster', startVirtualStage);
