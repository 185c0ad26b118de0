import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeIgnoredFields } from '../scenarios/ignored-fields.ts';

describeIgnoredFields(aStage(startRealStage));
