import { describe } from 'vitest';
import { serviceApplication } from '../suite/kinds/core-service.ts';
import { daemonSetApplication } from '../suite/kinds/daemon-set.ts';
import { knativeApplication } from '../suite/kinds/knative.ts';
import { describeKinds } from '../suite/kinds.ts';
import { aStage, startRealStage } from '../suite/stage.ts';
import { describeSteeredReleases } from '../suite/steered-releases.ts';
import { describeTrafficCommand } from '../suite/traffic-command.ts';

// DaemonSets are kube-controller-manager's here; of Knative there are the CRDs, and the stand-in as a client.
const kinds = { DaemonSet: daemonSetApplication, Service: serviceApplication, 'Knative Service': knativeApplication };

describe('kinds of target on a real control plane', () => {
  const stage = aStage(startRealStage);
  describeKinds(stage, kinds);
  describeSteeredReleases(stage);
  describeTrafficCommand(stage);
});
