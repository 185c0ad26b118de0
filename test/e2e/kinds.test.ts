import { serviceApplication } from '../suite/kinds/core-service.ts';
import { daemonSetApplication } from '../suite/kinds/daemon-set.ts';
import { knativeApplication } from '../suite/kinds/knative.ts';
import { describeKinds } from '../suite/kinds.ts';
import { startRealStage } from '../suite/stage.ts';

// DaemonSets are kube-controller-manager's here; of Knative there are the CRDs, and the stand-in as a client.
describeKinds('kinds of target on a real control plane', startRealStage, {
  DaemonSet: daemonSetApplication,
  Service: serviceApplication,
  'Knative Service': knativeApplication,
});
