import { describeIgnoredFields } from '../suite/ignored-fields.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describeIgnoredFields(aStage(startRealStage));
