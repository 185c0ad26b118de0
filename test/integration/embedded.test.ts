import { startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeReleases } from '../scenarios/releases.ts';

describeReleases('releases on the embedded cluster', startVirtualEnvironment);
