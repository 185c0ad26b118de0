import { describeIgnoredFields } from '../suite/ignored-fields.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describeIgnoredFields(aStage(startVirtualStage));
