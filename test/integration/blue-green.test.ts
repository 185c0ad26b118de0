import { describeBlueGreen } from '../scenarios/blue-green.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';

// The same on the real kube-proxy: `npm run test:planes`.
describeBlueGreen(anEnvironment(startVirtualEnvironment));
