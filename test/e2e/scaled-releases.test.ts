import { describeScaledReleases } from '../scenarios/scaled-releases.ts';
import { startRealStage } from '../scenarios/stage.ts';

describeScaledReleases('releases under autoscalers, on a real control plane', startRealStage);
