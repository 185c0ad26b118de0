import { describeIgnoredFields } from '../suite/ignored-fields.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

describeIgnoredFields(aStage(startEmbeddedStage));
