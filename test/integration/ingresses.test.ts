import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeIngresses } from '../scenarios/ingresses.ts';

describeIngresses(anEnvironment(startVirtualEnvironment));
