import { describeIngresses } from '../scenarios/ingresses.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';

describeIngresses(aStage(startVirtualStage));
