import { describeConfigs } from '../scenarios/configs.ts';
import { startRealEnvironment } from '../scenarios/environment.ts';

describeConfigs('configs on a real control plane', startRealEnvironment);
