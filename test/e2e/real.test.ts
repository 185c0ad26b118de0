import { describeReleases } from '../scenarios/releases.ts';
import { startRealStage } from '../scenarios/stage.ts';

describeReleases('releases on a real control plane', startRealStage);
