import { describeContourRoutes } from '../scenarios/contour-routes.ts';
import { startShareEnvironment } from '../scenarios/shares/share-environment.ts';
import { enterVirtual, playTests } from '../scenarios/world.ts';

// The same on the real Contour and Envoy: `npm run test:planes`.
enterVirtual(1);
playTests();
describeContourRoutes(() => startShareEnvironment(1));
