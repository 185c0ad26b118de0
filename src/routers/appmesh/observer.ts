import type { Observers } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';
import { daemonPodSelector, podSelector } from '../queries/pods.ts';

export const appMeshObservers: Observers = {
  Deployment: envoy('appmesh', podSelector, true),
  DaemonSet: envoy('appmesh', daemonPodSelector, true),
};
