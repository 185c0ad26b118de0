import { describeScaledReleases } from '../suite/scaled-releases.ts';
import { startEmbeddedStage } from '../suite/stage.ts';

describeScaledReleases('releases under autoscalers, on the embedded cluster', startEmbeddedStage);
