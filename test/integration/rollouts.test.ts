import { startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeRollouts } from '../scenarios/rollouts.ts';

describeRollouts('rollouts of the primary, on the embedded cluster', startVirtualEnvironment);
