import { describe } from 'vitest';
import { type ControllerProcess, startController } from '../suite/controller.ts';
import { startStageScene } from '../suite/drift/stage-scene.ts';
import { DRIFT_PLAN, describeDriftAtOnce } from '../suite/drift.ts';
import { providerFixtures } from '../suite/providers/index.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';
import { afterAll, beforeAll } from '../suite/world.ts';

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
