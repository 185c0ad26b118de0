import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { contour } from '../scenarios/providers/contour.ts';
import { gatewayApiTakenOver } from '../scenarios/providers/gateway-api.ts';
import { describeTakeovers } from '../scenarios/takeovers.ts';

// The same on the real Contour and Envoy: `npm run test:planes`.
const CROWD = { each: 2, pauseMs: 50 };
const environmentOf = anEnvironment(startVirtualEnvironment);
describeTakeovers(environmentOf, contour, CROWD);
describeTakeovers(environmentOf, gatewayApiTakenOver(), CROWD);
