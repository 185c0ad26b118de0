import { describeDeliveries } from '../scenarios/deliveries.ts';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';

describeDeliveries(aStage(startVirtualStage));
