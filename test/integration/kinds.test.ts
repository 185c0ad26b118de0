import { serviceApplication } from '../suite/kinds/core-service.ts';
import { daemonSetApplication } from '../suite/kinds/daemon-set.ts';
import { knativeApplication } from '../suite/kinds/knative.ts';
import { describeKinds } from '../suite/kinds.ts';
import { startEmbeddedStage } from '../suite/stage.ts';

describeKinds('kinds of target on the embedded cluster', startEmbeddedStage, {
  DaemonSet: daemonSetApplication,
  Service: serviceApplication,
  'Knative Service': knativeApplication,
});
