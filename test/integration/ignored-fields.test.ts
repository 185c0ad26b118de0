import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeIgnoredFields } from '../scenarios/ignored-fields.ts';

describeIgnoredFields(anEnvironment(startVirtualEnvironment));
