import { describeRollouts } from '../suite/rollouts.ts';
import { startRealStage } from '../suite/stage.ts';

describeRollouts('rollouts of the primary, on a real control plane', startRealStage);
