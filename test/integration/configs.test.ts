import { describeConfigs } from '../scenarios/configs.ts';
import { startVirtualStage } from '../scenarios/environment.ts';

describeConfigs('configs on the embedded cluster', startVirtualStage);
