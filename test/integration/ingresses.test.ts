import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeIngresses } from '../scenarios/ingresses.ts';

describeIngresses(aStage(startVirtualStage));
