import { describe } from 'vitest';
import { type ControllerProcess, startController } from '../scenarios/controller.ts';
import { startStageScene } from '../scenarios/drift/drift-fixture.ts';
import { DRIFT_PLAN, describeDriftAtOnce } from '../scenarios/drift.ts';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';
import { afterAll, beforeAll } from '../scenarios/world.ts';

describe('foreign edits in the middle of a release of a Knative Service, on the embedded cluster', () => {
  const stage = aStage(startVirtualStage);
  let controller: ControllerProcess;
  beforeAll(() => {
    controller = startController(stage());
  });
  afterAll(() => controller?.stop());

  const knative = providerFixtures.filter(({ provider }) => provider === 'knative');
  describeDriftAtOnce(knative, (fixture) => startStageScene(stage(), controller, fixture, DRIFT_PLAN));
});
