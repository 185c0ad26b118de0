import { describeConfigs } from '../scenarios/configs.ts';
import { startRealStage } from '../scenarios/environment.ts';

describeConfigs('configs on a real control plane', startRealStage);
