import { describe } from 'vitest';
import { partOf } from '../fakes/covering-part.ts';
import { startModelledRelease } from '../scenarios/drift/modelled-release.ts';
import { DRIFT_PLAN, describeDrift } from '../scenarios/drift.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';

// Knative's controllers are not modelled here: drift-of-knative.test.ts.
const inVirtualTime = providerFixtures.filter(({ provider }) => provider !== 'knative');
// Each provider has one edit in three, the next provider others; test/long plays all.
const part = partOf(3);

describe.each(inVirtualTime)('foreign edits in the middle of a release, in virtual time: $provider', (fixture) => {
  const start = async () => {
    const { release, lab, canary } = await startModelledRelease(fixture, DRIFT_PLAN);
    return {
      release,
      canary,
      contestMs: 60_000,
      async stop() {
        await lab.stop();
      },
    };
  };
  describeDrift(fixture, start, inVirtualTime.indexOf(fixture), part);
});
