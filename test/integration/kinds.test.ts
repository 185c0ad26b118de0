import { describe } from 'vitest';
import { partOf } from '../fakes/covering-part.ts';
import { serviceApplication } from '../scenarios/kinds/core-service.ts';
import { daemonSetApplication } from '../scenarios/kinds/daemon-set.ts';
import { knativeApplication } from '../scenarios/kinds/knative.ts';
import { describeKinds } from '../scenarios/kinds.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';
import { describeSteeredReleases } from '../scenarios/steered-releases.ts';

const kinds = { DaemonSet: daemonSetApplication, Service: serviceApplication, 'Knative Service': knativeApplication };

describe('kinds of target on the embedded cluster', () => {
  const stage = aStage(startVirtualStage);
  // Each kind has every other release, the next kind the others; test/long and test/e2e play all.
  describeKinds(stage, kinds, partOf(2));
  describeSteeredReleases(stage);
});
