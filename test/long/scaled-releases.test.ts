import { describeScaledReleases } from '../scenarios/scaled-releases.ts';
import { startEmbeddedStage } from '../scenarios/stage.ts';

describeScaledReleases('releases under autoscalers, on the embedded cluster', startEmbeddedStage);
