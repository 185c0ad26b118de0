import { describeIgnoredFields } from '../scenarios/ignored-fields.ts';
import { aStage, startRealStage } from '../scenarios/stage.ts';

describeIgnoredFields(aStage(startRealStage));
