import { afterAll, beforeAll, describe } from 'vitest';
import { type ControllerProcess, startController } from '../suite/controller.ts';
import { startStageScene } from '../suite/drift/stage-scene.ts';
import { DRIFT_PLAN, describeDriftAtOnce } from '../suite/drift.ts';
import { providerFixtures } from '../suite/providers/index.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

describe('foreign edits in the middle of a release, on a real control plane', () => {
  const stage = aStage(startRealStage);
  let controller: ControllerProcess;
  beforeAll(() => {
    controller = startController(stage());
  });
  afterAll(() => controller?.stop());

  describeDriftAtOnce(providerFixtures, (fixture) => startStageScene(stage(), controller, fixture, DRIFT_PLAN));
});
