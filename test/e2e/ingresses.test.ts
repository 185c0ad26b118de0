import { describeIngresses } from '../suite/ingresses.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describeIngresses(aStage(startRealStage));
