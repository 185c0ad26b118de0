import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeIngresses } from '../scenarios/ingresses.ts';

describeIngresses(aStage(startRealStage));
