import { anEnvironment } from '../scenarios/environment.ts';
import { playRoutedWorlds } from '../scenarios/routed-worlds.ts';
import { ingressRoutes } from '../scenarios/unwritten-routes.ts';
import { startGround } from './ground.ts';
import { startTraefikPlane } from './traefik-plane.ts';

const environment = anEnvironment(() => startGround(startTraefikPlane({ safeNaming: true })));

playRoutedWorlds(environment, { kind: 'HTTPProxy', as: ingressRoutes, url: () => environment().mesh.url(0) }, 4);
