import { describeNginxRoutes } from '../scenarios/nginx-routes.ts';
import { startShareEnvironment } from '../scenarios/shares/share-environment.ts';
import { enterVirtual, playTests } from '../scenarios/world.ts';

// The same on the real ingress-nginx: `npm run test:planes`.
enterVirtual(1);
playTests();
describeNginxRoutes(() => startShareEnvironment(1));
