import { MADE_AND_REMOVED, type ProviderDefinition, routes } from '../provider.ts';
import { appMeshV1beta1 } from './app-mesh-v1beta1.ts';
import { appMeshV1beta2 } from './app-mesh-v1beta2.ts';
import { appMeshObservers } from './observer.ts';

const group = 'appmesh.k8s.aws';
const both = {
  observers: appMeshObservers,
  board: { id: 'appmesh', title: 'App Mesh' },
  ownedWhole: ['routes'],
  overlay: { prometheus: 'http://appmesh-prometheus.appmesh-system:9090' },
};

export const appMeshV1beta1Provider: ProviderDefinition = {
  ...both,
  router: () => appMeshV1beta1,
  permissions: [routes(group, ['virtualnodes', 'virtualservices'], MADE_AND_REMOVED)],
};

export const appMeshV1beta2Provider: ProviderDefinition = {
  ...both,
  router: () => appMeshV1beta2,
  permissions: [routes(group, ['virtualnodes', 'virtualrouters', 'virtualservices'], MADE_AND_REMOVED)],
};
