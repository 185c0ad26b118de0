import { startEmbeddedEnvironment } from '../scenarios/environment.ts';
import { describeScaledReleases } from '../scenarios/scaled-releases.ts';

describeScaledReleases('releases under autoscalers, on the embedded cluster', startEmbeddedEnvironment);
