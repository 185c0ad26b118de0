import { describe } from 'vitest';
import { serviceApplication } from '../suite/kinds/core-service.ts';
import { daemonSetApplication } from '../suite/kinds/daemon-set.ts';
import { knativeApplication } from '../suite/kinds/knative.ts';
import { describeKinds } from '../suite/kinds.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';
import { describeSteeredReleases } from '../suite/steered-releases.ts';

const kinds = { DaemonSet: daemonSetApplication, Service: serviceApplication, 'Knative Service': knativeApplication };

describe('kinds of target on the embedded cluster', () => {
  const stage = aStage(startVirtualStage);
  describeKinds(stage, kinds);
  describeSteeredReleases(stage);
});
