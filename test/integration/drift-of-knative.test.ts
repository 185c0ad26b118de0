import { describe } from 'vitest';
import { type ControllerProcess, startController } from '../scenarios/controller.ts';
import { startDriftFixture } from '../scenarios/drift/drift-fixture.ts';
import { DRIFT_PLAN, describeDriftAtOnce } from '../scenarios/drift.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';
import { afterAll, beforeAll } from '../scenarios/world.ts';

describe('foreign edits in the middle of a release of a Knative Service, on the embedded cluster', () => {
  const environment = anEnvironment(startVirtualEnvironment);
  let controller: ControllerProcess;
  beforeAll(() => {
    controller = startController(environment());
  });
  afterAll(() => controller?.stop());

  const knative = providerFixtures.filter(({ provider }) => provider === 'knative');
  describeDriftAtOnce(knative, (fixture) => startDriftFixture(environment(), controller, fixture, DRIFT_PLAN));
});
