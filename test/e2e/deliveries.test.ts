import { describeDeliveries } from '../scenarios/deliveries.ts';
import { aStage, startRealStage } from '../scenarios/stage.ts';

describeDeliveries(aStage(startRealStage));
