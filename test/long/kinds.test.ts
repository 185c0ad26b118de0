import { describe } from 'vitest';
import { ADVERSE } from '../scenarios/adversity/lab.ts';
import { anEnvironment, startEmbeddedEnvironment } from '../scenarios/environment.ts';
import { describeAdoptedKinds } from '../scenarios/kinds/adopted.ts';
import { serviceApplication } from '../scenarios/kinds/core-service.ts';
import { daemonSetApplication } from '../scenarios/kinds/daemon-set.ts';
import { describeDaemonSetEdits } from '../scenarios/kinds/daemon-set-edits.ts';
import { describeIdle } from '../scenarios/kinds/idle.ts';
import { knativeApplication } from '../scenarios/kinds/knative.ts';
import { describeMixedIdle } from '../scenarios/kinds/mixed-idle.ts';
import { describeServiceCopies } from '../scenarios/kinds/service-copies.ts';

const kinds = { DaemonSet: daemonSetApplication, Service: serviceApplication, 'Knative Service': knativeApplication };

describe('special features of each kind of target, on the embedded cluster', () => {
  const environment = anEnvironment(() => startEmbeddedEnvironment(ADVERSE));
  describeIdle(environment, kinds);
  describeMixedIdle(environment);
  describeAdoptedKinds(environment, kinds);
  describeDaemonSetEdits(environment);
  describeServiceCopies(environment);
});
