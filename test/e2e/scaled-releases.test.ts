import { startRealEnvironment } from '../scenarios/environment.ts';
import { describeScaledReleases } from '../scenarios/scaled-releases.ts';

describeScaledReleases('releases under autoscalers, on a real control plane', startRealEnvironment);
