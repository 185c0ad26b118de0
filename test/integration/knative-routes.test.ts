import { describeKnativeRows } from '../scenarios/knative-rows.ts';
import { startShareEnvironment } from '../scenarios/shares/share-environment.ts';
import { enterVirtual, playTests } from '../scenarios/world.ts';

// The same on the real Knative Serving: `npm run test:planes`.
enterVirtual(1);
playTests();
describeKnativeRows(() => startShareEnvironment(1));
