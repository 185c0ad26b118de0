import { describeReleases } from '../suite/releases.ts';
import { startEmbeddedStage } from '../suite/stage.ts';

describeReleases('releases on the embedded cluster', startEmbeddedStage);
