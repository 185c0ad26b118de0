import { describeConfigs } from '../scenarios/configs.ts';
import { startVirtualEnvironment } from '../scenarios/environment.ts';

describeConfigs('configs on the embedded cluster', startVirtualEnvironment);
