import { describeConfigs } from '../suite/configs.ts';
import { startRealStage } from '../suite/stage.ts';

describeConfigs('configs on a real control plane', startRealStage);
