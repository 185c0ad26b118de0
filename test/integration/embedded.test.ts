import { describeReleases } from '../suite/releases.ts';
import { startVirtualStage } from '../suite/stage.ts';

describeReleases('releases on the embedded cluster', startVirtualStage);
