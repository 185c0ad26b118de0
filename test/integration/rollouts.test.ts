import { describeRollouts } from '../suite/rollouts.ts';
import { startEmbeddedStage } from '../suite/stage.ts';

describeRollouts('rollouts of the primary, on the embedded cluster', startEmbeddedStage);
