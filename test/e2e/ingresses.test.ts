import { describeIngresses } from '../scenarios/ingresses.ts';
import { aStage, startRealStage } from '../scenarios/stage.ts';

describeIngresses(aStage(startRealStage));
