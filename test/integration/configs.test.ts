import { describeConfigs } from '../suite/configs.ts';
import { startVirtualStage } from '../suite/stage.ts';

describeConfigs('configs on the embedded cluster', startVirtualStage);
