import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeIgnoredFields } from '../scenarios/ignored-fields.ts';

describeIgnoredFields(anEnvironment(startRealEnvironment));
