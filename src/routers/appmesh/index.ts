import { MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { envoy } from '../queries/envoy.ts';
import { namespaceLabel, ofNamespace, podLabel, podsOfDaemonSet, podsOfDeployment } from '../queries/pods.ts';
import { appMeshV1beta1 } from './app-mesh-v1beta1.ts';
import { appMeshV1beta2 } from './app-mesh-v1beta2.ts';

const group = 'appmesh.k8s.aws';
const byPods = (podsOf: (workload: string) => string) =>
  envoy('appmesh', {
    canary: podsOf('{{ target }}'),
    primary: podsOf('{{ target }}-primary'),
    selectsWorkload: true,
    podLabel,
    namespace: ofNamespace,
    labels: [namespaceLabel, podLabel],
  });
const both = {
  observers: { Deployment: byPods(podsOfDeployment), DaemonSet: byPods(podsOfDaemonSet) },
  board: { id: 'appmesh', title: 'App Mesh' },
  ownedWhole: ['routes'],
  overlay: { prometheus: 'http://appmesh-prometheus.appmesh-system:9090' },
};

const appMeshV1beta1Provider: ProviderDefinition = {
  ...both,
  router: () => appMeshV1beta1,
  permissions: [routes(group, ['virtualnodes', 'virtualservices'], MADE_AND_REMOVED)],
};

const appMeshV1beta2Provider: ProviderDefinition = {
  ...both,
  router: () => appMeshV1beta2,
  permissions: [routes(group, ['virtualnodes', 'virtualrouters', 'virtualservices'], MADE_AND_REMOVED)],
};

export { appMeshV1beta1Provider as appmesh, appMeshV1beta2Provider as 'appmesh:v1beta2' };
