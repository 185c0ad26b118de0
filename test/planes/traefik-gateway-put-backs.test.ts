import { anEnvironment } from '../scenarios/environment.ts';
import { playPutBacks } from '../scenarios/put-backs.ts';
import { EDGE, startTraefikGateway } from './traefik-gateway-plane.ts';

const environment = anEnvironment(startTraefikGateway);

playPutBacks(environment, { kind: 'HTTPRoute', url: () => environment().mesh.url(0), gateway: EDGE });
