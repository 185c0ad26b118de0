import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeIgnoredFields } from '../scenarios/ignored-fields.ts';

describeIgnoredFields(aStage(startVirtualStage));
