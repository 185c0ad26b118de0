import { describeRollouts } from '../scenarios/rollouts.ts';
import { startVirtualStage } from '../scenarios/stage.ts';

describeRollouts('rollouts of the primary, on the embedded cluster', startVirtualStage);
