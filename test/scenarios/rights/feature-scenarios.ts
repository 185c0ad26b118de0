import { definitionOf } from '../../fakes/further-kinds.ts';
import type { Environment } from '../environment.ts';
import { smiFixtures } from '../providers/smi.ts';
import { APP, type Scenario } from '../scenario.ts';
import { until } from '../until.ts';
import { BY_SERVICES, blueGreen, OURS, object, secret } from './rights-objects.ts';
import { NAMESPACE, type RightsScenario } from './rights-run.ts';

/** Their routes lead to no pods of the embedded cluster; what is written is the same. */
const unserved: readonly RightsScenario[] = [
  // The user has no TraefikService; the one of the copies goes with the Canary.
  { name: 'provider traefik makes its route', values: {}, spec: () => ({ provider: 'traefik' }), analysis: () => ({ mirror: true }) },
  { name: 'provider osm', values: {}, spec: () => ({ provider: 'osm' }) },
  { name: 'provider kuma', values: {}, spec: () => ({ provider: 'kuma' }) },
  ...['appmesh', 'appmesh:v1beta2'].map((provider) => ({
    name: `provider ${provider}`,
    values: {},
    spec: () => ({ provider, service: { port: 80, targetPort: 'http', meshName: 'mesh' } }),
  })),
];

const SETTINGS = object('v1', 'ConfigMap', 'settings', { data: { level: '1' } });
/** A Deployment whose pods read a ConfigMap and a Secret. */
async function readsConfigs({ given }: Scenario, { cluster }: Environment): Promise<void> {
  await cluster.create(SETTINGS);
  await cluster.create(secret('login', { password: 'of-a-test' }));
  const volumes = [
    { name: 'settings', configMap: { name: 'settings' } },
    { name: 'login', secret: { secretName: 'login' } },
  ];
  await given.aDeployment({ pod: { volumes } });
}

const tracking = (name: string, secrets: object): RightsScenario => ({
  name: `ConfigMaps and Secrets, ${name}`,
  values: { ...BY_SERVICES, secrets },
  analysis: blueGreen,
  given: readsConfigs,
  async push(version, env, { when }, { cluster }) {
    const now = { data: { level: version } };
    await cluster.patch({ apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: NAMESPACE }, now);
    await when.imageChanges(version, env);
  },
});

/** Metrics that come from the API server itself; none is found, and none decides. */
const ofApiServer = { errors: 'externalmetrics', quality: 'keptn', analysis: 'keptn' } as const;
const queries = { errors: 'errors', quality: `keptnmetric/${NAMESPACE}/quality`, analysis: `analysis/${NAMESPACE}/quality` } as const;
const backends: RightsScenario = {
  name: 'metric backends in the API server',
  values: BY_SERVICES,
  analysis: () => ({
    ...blueGreen(),
    metrics: Object.keys(ofApiServer).map((name) => ({
      ...{ name, interval: '1m', mode: 'observe', templateRef: { name }, thresholdRange: { max: 1 } },
    })),
  }),
  async given({ given }, { cluster }) {
    await cluster.apply(definitionOf({ group: 'metrics.keptn.sh', versions: ['v1beta1'], kind: 'Analysis', resource: 'analyses' }));
    for (const [name, type] of Object.entries(ofApiServer) as [keyof typeof ofApiServer, string][])
      await cluster.create(object(OURS, 'MetricTemplate', name, { spec: { provider: { type }, query: queries[name] } }));
    await given.aDeployment();
  },
};

/** The versions of SMI that have routes of matching requests. */
const matching: RightsScenario[] = smiFixtures
  .filter(({ provider }) => provider === 'smi:v1alpha4')
  .map((fixture) => ({
    name: 'an A/B test of smi:v1alpha4',
    values: {},
    fixture,
    analysis: () => ({ ...blueGreen(), match: [{ headers: { user: { exact: 'tester' } } }] }),
  }));

const ofGateway = { port: 80, targetPort: 'http', gatewayRefs: [{ name: APP, namespace: NAMESPACE }] };

/** Choices of an installation or a Canary beside its provider and its target. */
export const featureScenarios: readonly RightsScenario[] = [
  ...unserved,
  ...matching,
  tracking('watched', { mode: 'watch' }),
  tracking('read as a release starts', { mode: 'get' }),
  tracking('by name', { names: ['login'] }),
  backends,
  { name: 'a GRPCRoute', values: {}, spec: () => ({ provider: 'gatewayapi:v1', service: { ...ofGateway, appProtocol: 'grpc' } }) },
  {
    name: 'an edit from HTTPRoute to GRPCRoute',
    values: {},
    spec: () => ({ provider: 'gatewayapi:v1', service: ofGateway }),
    edit: { service: { appProtocol: 'grpc' } },
    // The HTTPRoute goes on serving until then (DF143).
    async more(_, { cluster }) {
      const routeOf = (kind: string) => ({ apiVersion: 'gateway.networking.k8s.io/v1', kind, name: APP, namespace: NAMESPACE });
      await cluster.delete(routeOf('HTTPRoute'));
      await until(cluster, routeOf('GRPCRoute'), 'is made', (now) => now !== undefined);
    },
  },
];
