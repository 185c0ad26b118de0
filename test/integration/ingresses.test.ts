import { describeIngresses } from '../suite/ingresses.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describeIngresses(aStage(startVirtualStage));
