import { describe } from 'vitest';
import { startModelScene } from '../scenarios/drift/model-scene.ts';
import { DRIFT_PLAN, describeDrift } from '../scenarios/drift.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';

// What runs a Knative Service is not modelled here: drift-of-knative.test.ts.
const inVirtualTime = providerFixtures.filter(({ provider }) => provider !== 'knative');

describe.each(inVirtualTime)('foreign edits in the middle of a release, in virtual time: $provider', (fixture) => {
  describeDrift(fixture, async () => {
    const { scene, lab, canary } = await startModelScene(fixture, DRIFT_PLAN);
    return {
      scene,
      canary,
      contestMs: 60_000,
      async stop() {
        await lab.stop();
        lab.close();
      },
    };
  });
});
