import { describeIstioRoutes } from '../scenarios/istio-routes.ts';
import { startShareEnvironment } from '../scenarios/shares/share-environment.ts';
import { enterVirtual, playTests } from '../scenarios/world.ts';

// The same on the real istiod and Envoy: `npm run test:planes`.
enterVirtual(1);
playTests();
describeIstioRoutes(() => startShareEnvironment(1));
