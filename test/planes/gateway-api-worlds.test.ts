import { anEnvironment } from '../scenarios/environment.ts';
import { playRoutedWorlds } from '../scenarios/routed-worlds.ts';
import { EDGE, startGatewayPlane } from './gateway-plane.ts';
import { startGround } from './ground.ts';

const environment = anEnvironment(() => startGround(startGatewayPlane, { judgesHttpRoutes: false }));

playRoutedWorlds(environment, { kind: 'HTTPRoute', url: () => environment().mesh.url(0), gateway: EDGE }, 4);
