import { describeRollouts } from '../scenarios/rollouts.ts';
import { startRealStage } from '../scenarios/stage.ts';

describeRollouts('rollouts of the primary, on a real control plane', startRealStage);
