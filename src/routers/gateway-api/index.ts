import { type ProviderDefinition, routes } from '../provider.ts';
import { application } from '../queries/application.ts';
import { gatewayApi } from './router.ts';

const group = 'gateway.networking.k8s.io';
const [v1, v1beta1] = [gatewayApi('v1'), gatewayApi('v1beta1')];
const all = { observers: application, ownedWhole: ['rules'] };

export const gatewayApiProvider: ProviderDefinition = {
  ...all,
  router: () => v1,
  permissions: [routes(group, ['httproutes', 'grpcroutes'])],
};

export const gatewayApiV1beta1Provider: ProviderDefinition = {
  ...all,
  router: () => v1beta1,
  permissions: [routes(group, ['httproutes'])],
};
