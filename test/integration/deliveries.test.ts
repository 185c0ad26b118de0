import { describeDeliveries } from '../suite/deliveries.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

describeDeliveries(aStage(startEmbeddedStage));
