import { anEnvironment } from '../scenarios/environment.ts';
import { playRoutedWorlds } from '../scenarios/routed-worlds.ts';
import { ingresses } from '../scenarios/unwritten-routes.ts';
import { startGround } from './ground.ts';
import { startIngressNginxPlane } from './ingress-nginx-plane.ts';

const environment = anEnvironment(() => startGround(startIngressNginxPlane));

playRoutedWorlds(environment, { kind: 'HTTPProxy', as: ingresses, url: () => environment().mesh.url(0) }, 4);
