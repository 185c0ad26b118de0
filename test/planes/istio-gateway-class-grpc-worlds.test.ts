import { anEnvironment, type RealEnvironment } from '../scenarios/environment.ts';
import { playRoutedWorlds } from '../scenarios/routed-worlds.ts';
import { startGrpcGround } from './grpc-ground.ts';
import { EDGE, startIstioGatewayClass } from './istio-gateway-class.ts';

// Contour serves no rule that names a service without a method.
const environment = anEnvironment<RealEnvironment>(() => startGrpcGround(startIstioGatewayClass, { judgesHttpRoutes: false }));

playRoutedWorlds(environment, { kind: 'GRPCRoute', url: () => environment().mesh.url(0), gateway: EDGE }, 4);
