import { describeDeliveries } from '../suite/deliveries.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describeDeliveries(aStage(startVirtualStage));
