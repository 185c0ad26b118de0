import { describeIgnoredFields } from '../scenarios/ignored-fields.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';

describeIgnoredFields(aStage(startVirtualStage));
