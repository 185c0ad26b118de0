import { describeDeliveries } from '../scenarios/deliveries.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';

describeDeliveries(anEnvironment(startRealEnvironment));
