import { describeDeliveries } from '../suite/deliveries.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describeDeliveries(aStage(startRealStage));
