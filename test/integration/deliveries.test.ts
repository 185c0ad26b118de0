import { describeDeliveries } from '../scenarios/deliveries.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';

describeDeliveries(aStage(startVirtualStage));
