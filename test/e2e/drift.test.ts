import { afterAll, beforeAll, describe } from 'vitest';
import { type ControllerProcess, startController } from '../scenarios/controller.ts';
import { startStageScene } from '../scenarios/drift/drift-fixture.ts';
import { DRIFT_PLAN, describeDriftAtOnce } from '../scenarios/drift.ts';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';

describe('foreign edits in the middle of a release, on a real control plane', () => {
  const stage = aStage(startRealStage);
  let controller: ControllerProcess;
  beforeAll(() => {
    controller = startController(stage());
  });
  afterAll(() => controller?.stop());

  describeDriftAtOnce(providerFixtures, (fixture) => startStageScene(stage(), controller, fixture, DRIFT_PLAN));
});
