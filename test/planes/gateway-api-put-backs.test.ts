import { anEnvironment } from '../scenarios/environment.ts';
import { playPutBacks } from '../scenarios/put-backs.ts';
import { EDGE, startGatewayPlane } from './gateway-plane.ts';
import { startGround } from './ground.ts';

const environment = anEnvironment(() => startGround(startGatewayPlane, { judgesHttpRoutes: false }));

playPutBacks(environment, { kind: 'HTTPRoute', url: () => environment().mesh.url(0), gateway: EDGE });
