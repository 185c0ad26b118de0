import type { Observers } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';
import { podLabel, podsOfDaemonSet, podsOfDeployment } from '../queries/pods.ts';

const byPods = (podsOf: (workload: string) => string) =>
  envoy('appmesh', { canary: podsOf('{{ target }}'), primary: podsOf('{{ target }}-primary'), selectsWorkload: true, podLabel });

export const appMeshObservers: Observers = { Deployment: byPods(podsOfDeployment), DaemonSet: byPods(podsOfDaemonSet) };
