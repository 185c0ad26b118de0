import { describeRollouts } from '../suite/rollouts.ts';
import { startVirtualStage } from '../suite/stage.ts';

describeRollouts('rollouts of the primary, on the embedded cluster', startVirtualStage);
