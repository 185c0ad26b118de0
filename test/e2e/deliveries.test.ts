import { describeDeliveries } from '../scenarios/deliveries.ts';
import { aStage, startRealStage } from '../scenarios/environment.ts';

describeDeliveries(aStage(startRealStage));
