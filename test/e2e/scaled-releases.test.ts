import { describeScaledReleases } from '../suite/scaled-releases.ts';
import { startRealStage } from '../suite/stage.ts';

describeScaledReleases('releases under autoscalers, on a real control plane', startRealStage);
