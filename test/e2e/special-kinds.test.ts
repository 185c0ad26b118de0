import { describe } from 'vitest';
import { ADVERSE } from '../suite/adversity/lab.ts';
import { describeAdoptedKinds } from '../suite/kinds/adopted.ts';
import { describeAtRest } from '../suite/kinds/at-rest.ts';
import { serviceApplication } from '../suite/kinds/core-service.ts';
import { daemonSetApplication } from '../suite/kinds/daemon-set.ts';
import { describeDaemonSetEdits } from '../suite/kinds/daemon-set-edits.ts';
import { knativeApplication } from '../suite/kinds/knative.ts';
import { describeMixedRest } from '../suite/kinds/mixed-rest.ts';
import { describeServiceCopies } from '../suite/kinds/service-copies.ts';
import { aStage, startRealStage } from '../suite/stage.ts';

// As in kinds.test.ts.
const kinds = { DaemonSet: daemonSetApplication, Service: serviceApplication, 'Knative Service': knativeApplication };

describe('what is special to a kind of target, on a real control plane', () => {
  const stage = aStage(() => startRealStage(ADVERSE));
  describeAtRest(stage, kinds);
  describeMixedRest(stage);
  describeAdoptedKinds(stage, kinds);
  describeDaemonSetEdits(stage);
  describeServiceCopies(stage);
});
