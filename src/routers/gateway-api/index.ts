import { inNamespace, rule } from '../../api/permission.ts';
import { type ProviderDefinition, routes } from '../provider.ts';
import { application } from '../queries/application.ts';
import { gatewayApi } from './router.ts';

const group = 'gateway.networking.k8s.io';
const [v1, v1beta1] = [gatewayApi('v1'), gatewayApi('v1beta1')];
const all = { observers: application, board: { id: 'gateway-api', title: 'Gateway API' }, ownedWhole: ['rules'] };
const attached = 'policies that are attached to one rule of a route; without it that is not checked';
const ofRules = [
  inNamespace(rule('gateway.envoyproxy.io', ['securitypolicies', 'envoyextensionpolicies'], ['list'], attached)),
  inNamespace(rule('kuadrant.io', ['authpolicies', 'ratelimitpolicies'], ['list'], attached)),
];

const gatewayApiProvider: ProviderDefinition = {
  ...all,
  router: () => v1,
  permissions: [routes(group, ['httproutes', 'grpcroutes']), ...ofRules],
};

const gatewayApiV1beta1Provider: ProviderDefinition = {
  ...all,
  router: () => v1beta1,
  permissions: [routes(group, ['httproutes']), ...ofRules],
};

export { gatewayApiProvider as 'gatewayapi:v1', gatewayApiV1beta1Provider as 'gatewayapi:v1beta1' };
