import { afterAll, beforeAll, describe } from 'vitest';
import { type ControllerProcess, startController } from '../suite/controller.ts';
import { startStageScene } from '../suite/drift/stage-scene.ts';
import { DRIFT_PLAN, describeDriftAtOnce } from '../suite/drift.ts';
import { providerFixtures } from '../suite/providers/index.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

describe('foreign edits in the middle of a release, where what runs the target has no virtual time', () => {
  const stage = aStage(startEmbeddedStage);
  let controller: ControllerProcess;
  beforeAll(() => {
    controller = startController(stage());
  });
  afterAll(() => controller?.stop());

  const inRealTime = providerFixtures.filter(({ provider }) => provider === 'knative');
  describeDriftAtOnce(inRealTime, (fixture) => startStageScene(stage(), controller, fixture, DRIFT_PLAN));
});
