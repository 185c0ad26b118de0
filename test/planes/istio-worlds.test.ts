import { anEnvironment } from '../scenarios/environment.ts';
import { GATEWAY, gatewayObject } from '../scenarios/istio/places.ts';
import { playRoutedWorlds } from '../scenarios/routed-worlds.ts';
import { startIstioGround } from './istio-plane.ts';

const environment = anEnvironment(startIstioGround);
const gateway = { namespace: GATEWAY.namespace, name: gatewayObject.metadata.name };

playRoutedWorlds(environment, { kind: 'VirtualService', url: () => environment().entries?.gateway ?? '', gateway }, 4);
