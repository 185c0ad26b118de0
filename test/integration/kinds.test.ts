import { describe } from 'vitest';
import { partOf } from '../fakes/covering-part.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { serviceApplication } from '../scenarios/kinds/core-service.ts';
import { daemonSetApplication } from '../scenarios/kinds/daemon-set.ts';
import { knativeApplication } from '../scenarios/kinds/knative.ts';
import { describeKinds } from '../scenarios/kinds.ts';
import { describeSteeredReleases } from '../scenarios/steered-releases.ts';

const kinds = { DaemonSet: daemonSetApplication, Service: serviceApplication, 'Knative Service': knativeApplication };

describe('kinds of target on the embedded cluster', () => {
  const environment = anEnvironment(startVirtualEnvironment);
  // Each kind has every other release, the next kind the others; test/long and test/e2e play all.
  describeKinds(environment, kinds, partOf(2));
  describeSteeredReleases(environment);
});
