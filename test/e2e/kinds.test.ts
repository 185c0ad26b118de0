import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { serviceApplication } from '../scenarios/kinds/core-service.ts';
import { daemonSetApplication } from '../scenarios/kinds/daemon-set.ts';
import { knativeApplication } from '../scenarios/kinds/knative.ts';
import { describeKinds } from '../scenarios/kinds.ts';
import { describeSteeredReleases } from '../scenarios/steered-releases.ts';
import { describeTrafficCommand } from '../scenarios/traffic-command.ts';

// DaemonSets are reconciled by kube-controller-manager here; for Knative only the CRDs exist, and a client plays its controller.
const kinds = { DaemonSet: daemonSetApplication, Service: serviceApplication, 'Knative Service': knativeApplication };

describe('kinds of target on a real control plane', () => {
  const environment = anEnvironment(startRealEnvironment);
  describeKinds(environment, kinds);
  describeSteeredReleases(environment);
  describeTrafficCommand(environment);
});
