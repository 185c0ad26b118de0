import { describeDeliveries } from '../scenarios/deliveries.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';

describeDeliveries(anEnvironment(startVirtualEnvironment));
