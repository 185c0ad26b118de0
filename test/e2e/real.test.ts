import { describeReleases } from '../suite/releases.ts';
import { startRealStage } from '../suite/stage.ts';

describeReleases('releases on a real control plane', startRealStage);
