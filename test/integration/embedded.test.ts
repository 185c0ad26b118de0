import { describeReleases } from '../scenarios/releases.ts';
import { startVirtualStage } from '../scenarios/stage.ts';

describeReleases('releases on the embedded cluster', startVirtualStage);
