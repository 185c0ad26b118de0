import { startRealEnvironment } from '../scenarios/environment.ts';
import { describeRollouts } from '../scenarios/rollouts.ts';

describeRollouts('rollouts of the primary, on a real control plane', startRealEnvironment);
