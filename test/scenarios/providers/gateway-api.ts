import type { KubeObject } from '../../../src/api/kube-object.ts';
import { raw } from '../../fakes/raw.ts';
import type { AppName, ProviderFixture } from './provider-fixture.ts';

interface Rule {
  backendRefs: { name: string; weight: number }[];
  filters?: object[];
}
const apiVersion = (version: string) => `gateway.networking.k8s.io/${version}`;

const rules =
  (edit: (rules: Rule[]) => unknown): ProviderFixture['edits'][string] =>
  (object) => {
    const copy = structuredClone(object);
    raw(copy).spec.rules = edit(raw(copy).spec.rules);
    return copy;
  };
const weights = (weightOf: (index: number) => number) =>
  rules((all) =>
    all.map((rule) => ({ ...rule, backendRefs: rule.backendRefs.map((ref, index) => ({ ...ref, weight: weightOf(index) })) })),
  );
const spec =
  (change: object): ProviderFixture['edits'][string] =>
  (object) => ({ ...object, spec: { ...raw(object).spec, ...change } });

const edits: ProviderFixture['edits'] = {
  'all weight to the canary': weights((index) => 100 * index),
  'half and half': weights(() => 50),
  'weights of another sum': weights(() => 1),
  'a rule of their own before ours': rules((all) => [{ ...all[0], matches: [{ path: { type: 'PathPrefix', value: '/theirs' } }] }, ...all]),
  'one backend less': rules((all) => all.map((rule) => ({ ...rule, backendRefs: rule.backendRefs.slice(1) }))),
  'a filter in our rule': rules((all) =>
    all.map((rule) => ({
      ...rule,
      filters: [{ type: 'RequestHeaderModifier', requestHeaderModifier: { set: [{ name: 'x-theirs', value: '1' }] } }],
    })),
  ),
  'other hosts': spec({ hostnames: ['elsewhere.example.org'] }),
  'another parent': spec({ parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'elsewhere' }] }),
};

/** Through a Gateway of the user's, which the users' requests enter by. */
export const gatewayApi: ProviderFixture = {
  provider: 'gatewayapi:v1',
  tutorial: ['the Gateway API', 'The Gateway is yours, of any implementation. Serin makes the HTTPRoute.'],
  objects: ({ namespace }) => [gateway(namespace)],
  service: (app) => ({ gatewayRefs: [{ name: 'edge' }], hosts: [hostOf(app)] }),
  host: hostOf,
  headers: ({ namespace }) => ({ 'x-serin-gateway': `${namespace}/edge` }),
  route: ({ name, namespace }) => ({ apiVersion: apiVersion('v1'), kind: 'HTTPRoute', name, namespace }),
  edits,
};

/** The same for users who already have an HTTPRoute. `shared`: an existing Gateway for all namespaces, instead of one of their own. */
export const gatewayApiTakenOver = (shared?: AppName): ProviderFixture => ({
  ...gatewayApi,
  objects: (app) => [
    ...(shared ? [] : [gateway(app.namespace)]),
    {
      apiVersion: apiVersion('v1'),
      kind: 'HTTPRoute',
      metadata: { ...app },
      spec: {
        parentRefs: [shared ?? { name: 'edge' }],
        hostnames: [hostOf(app)],
        rules: [{ backendRefs: [{ name: app.name, port: 80 }] }],
      },
    },
  ],
  service: (app) => ({ gatewayRefs: [shared ?? { name: 'edge' }], hosts: [hostOf(app)] }),
  headers: ({ namespace }) => ({ 'x-serin-gateway': `${shared?.namespace ?? namespace}/${shared?.name ?? 'edge'}` }),
});

/** The older version, with the Service itself as parent, as Linkerd has it: for the traffic inside the mesh. */
export const gatewayApiMesh: ProviderFixture = {
  provider: 'gatewayapi:v1beta1',
  tutorial: [
    'the Gateway API for the traffic inside a mesh',
    'The parent of the HTTPRoute is the Service that clients call, as Linkerd reads it.',
  ],
  service: ({ name, namespace }) => ({
    gatewayRefs: [{ group: 'core', kind: 'Service', name, namespace, port: 80 }],
    hosts: [`${name}.${namespace}`],
  }),
  host: ({ name, namespace }) => `${name}.${namespace}`,
  route: ({ name, namespace }) => ({ apiVersion: apiVersion('v1beta1'), kind: 'HTTPRoute', name, namespace }),
  edits,
};

/** Through HTTPRoutes of the Service itself. Istio takes the core group by its own name only, which is empty. */
export const istioGatewayApi: ProviderFixture = {
  ...gatewayApiMesh,
  provider: 'gatewayapi:v1',
  service: ({ name, namespace }) => ({ gatewayRefs: [{ group: '', kind: 'Service', name, namespace, port: 80 }] }),
  route: ({ name, namespace }) => ({ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', name, namespace }),
};

function hostOf({ name, namespace }: AppName): string {
  return `${name}.${namespace}.example.org`;
}

function gateway(namespace: string): KubeObject {
  return {
    apiVersion: apiVersion('v1'),
    kind: 'Gateway',
    metadata: { name: 'edge', namespace },
    spec: { gatewayClassName: 'embedded', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
  };
}
