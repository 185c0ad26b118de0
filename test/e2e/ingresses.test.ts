import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeIngresses } from '../scenarios/ingresses.ts';

describeIngresses(anEnvironment(startRealEnvironment));
