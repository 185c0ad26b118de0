import { anEnvironment } from '../scenarios/environment.ts';
import { playRoutedWorlds } from '../scenarios/routed-worlds.ts';
import { EDGE, startTraefikGateway } from './traefik-gateway-plane.ts';

const environment = anEnvironment(startTraefikGateway);

playRoutedWorlds(environment, { kind: 'HTTPRoute', url: () => environment().mesh.url(0), gateway: EDGE }, 4);
