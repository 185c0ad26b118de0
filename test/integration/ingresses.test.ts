import { describeIngresses } from '../suite/ingresses.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

describeIngresses(aStage(startEmbeddedStage));
