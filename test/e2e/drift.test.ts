import { afterAll, beforeAll, describe } from 'vitest';
import { type ControllerProcess, startController } from '../scenarios/controller.ts';
import { startDriftFixture } from '../scenarios/drift/drift-fixture.ts';
import { DRIFT_PLAN, describeDriftAtOnce } from '../scenarios/drift.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';

describe('foreign edits in the middle of a release, on a real control plane', () => {
  const environment = anEnvironment(startRealEnvironment);
  let controller: ControllerProcess;
  beforeAll(() => {
    controller = startController(environment());
  });
  afterAll(() => controller?.stop());

  describeDriftAtOnce(providerFixtures, (fixture) => startDriftFixture(environment(), controller, fixture, DRIFT_PLAN));
});
