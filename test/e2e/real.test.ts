import { startRealEnvironment } from '../scenarios/environment.ts';
import { describeReleases } from '../scenarios/releases.ts';

describeReleases('releases on a real control plane', startRealEnvironment);
