import type { KubeObject } from '../../../src/api/kube-object.ts';
import { serviceApplication } from '../kinds/core-service.ts';
import { daemonSetApplication } from '../kinds/daemon-set.ts';
import { providerFixtures } from '../providers/index.ts';
import { APP } from '../scenario.ts';
import { until } from '../until.ts';
import { usedElsewhere } from './covered-rules.ts';
import { featureScenarios } from './feature-scenarios.ts';
import { BY_SERVICES, blueGreen, OURS, object, secret } from './rights-objects.ts';
import { NAMESPACE, type RightsScenario } from './rights-run.ts';

const LIMITED = { namespaces: [NAMESPACE] };
const ELSEWHERE = 'observability';
const scaler = (apiVersion: string, kind: string, spec: object): Omit<RightsScenario, 'name' | 'values'> => ({
  spec: () => ({ autoscalerRef: { apiVersion, kind, name: APP } }),
  async given({ given }, { cluster }) {
    await given.aDeployment();
    await cluster.create(object(apiVersion, kind, APP, { spec }));
  },
});
const scaleTarget = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP };

/** Objects that select the pods of the target or name it, which go after the release. */
const selectsApp = { selector: { matchLabels: { app: APP } } };
const companions: readonly KubeObject[] = [
  object('policy/v1', 'PodDisruptionBudget', APP, { spec: { minAvailable: 1, ...selectsApp } }),
  object('networking.k8s.io/v1', 'NetworkPolicy', APP, { spec: { podSelector: selectsApp.selector, ingress: [{}] } }),
  object('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', APP, { spec: { targetRef: scaleTarget } }),
];

/** In the namespace of the Canary, and in another namespace without a Canary. */
const references: RightsScenario = {
  name: 'references to objects of another namespace',
  values: { namespaces: [NAMESPACE, ELSEWHERE], ...BY_SERVICES },
  analysis: ({ hooks }) => ({
    ...blueGreen(),
    alerts: [{ name: 'chat', severity: 'info', providerRef: { name: 'chat', namespace: ELSEWHERE } }],
    metrics: [
      {
        name: 'errors',
        interval: '1m',
        mode: 'observe',
        templateRef: { name: 'errors', namespace: ELSEWHERE },
        thresholdRange: { max: 500 },
      },
    ],
    webhooks: [{ name: 'signed', type: 'rollout', url: hooks.url('signed'), secretRef: { name: 'hooks' } }],
  }),
  async given({ given, hooks }, { cluster, prometheusUrl }) {
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ELSEWHERE } });
    await cluster.create(secret('hooks', { signingKey: 'a-key-of-hooks' }));
    await cluster.create(secret('chat', { address: hooks.url('chat') }, ELSEWHERE));
    await cluster.create(secret('prometheus', { token: 'a-token' }, ELSEWHERE));
    await cluster.create(object(OURS, 'AlertProvider', 'chat', { spec: { type: 'slack', secretRef: { name: 'chat' } } }, ELSEWHERE));
    const provider = { type: 'prometheus', address: prometheusUrl, secretRef: { name: 'prometheus' } };
    await cluster.create(object(OURS, 'MetricTemplate', 'errors', { spec: { provider, query: 'vector(1)' } }, ELSEWHERE));
    await given.aDeployment();
  },
};

/** Those of linkerd. */
const SAME_RULES: ReadonlySet<string> = new Set(['smi:v1alpha1', 'smi:v1alpha2', 'smi:v1alpha3', 'smi:v1alpha4']);

/** Uses of Serin: providers, kinds of target and scaler, companions, references. */
export const rightsScenarios: readonly RightsScenario[] = [
  ...providerFixtures
    .filter(({ provider }) => !SAME_RULES.has(provider))
    .map((fixture, index) => ({
      name: `provider ${fixture.provider}${index % 2 === 0 ? '' : ', one namespace'} (${index})`,
      values: index % 2 === 0 ? {} : LIMITED,
      fixture,
    })),
  { name: 'provider kubernetes', values: { ...LIMITED, ...BY_SERVICES }, analysis: blueGreen },
  { name: 'a DaemonSet', values: {}, application: daemonSetApplication },
  { name: 'a Service', values: LIMITED, application: serviceApplication },
  {
    name: 'a HorizontalPodAutoscaler',
    values: {},
    ...scaler('autoscaling/v2', 'HorizontalPodAutoscaler', { minReplicas: 2, maxReplicas: 4, scaleTargetRef: scaleTarget, metrics: [] }),
  },
  {
    name: 'a ScaledObject',
    values: LIMITED,
    ...scaler('keda.sh/v1alpha1', 'ScaledObject', {
      scaleTargetRef: { name: APP },
      minReplicaCount: 2,
      maxReplicaCount: 4,
      triggers: [{ type: 'cron', metadata: { timezone: 'UTC', start: '0 0 * * *', end: '59 23 * * *', desiredReplicas: '2' } }],
    }),
  },
  {
    name: 'companions that come and go',
    values: {},
    async given({ given }, { cluster }) {
      await given.aDeployment();
      for (const one of companions) await cluster.create(one);
    },
    async more(_, { cluster }) {
      for (const { apiVersion, kind } of companions) {
        await cluster.delete({ apiVersion, kind, name: APP, namespace: NAMESPACE });
        await until(cluster, { apiVersion, kind, name: `${APP}-primary`, namespace: NAMESPACE }, 'is gone', (now) => now === undefined);
      }
    },
  },
  references,
  ...featureScenarios,
];

/** A Canary of another name over the same target goes on with them. */
const OF_HEIR = 'src/controller/reconcile/companions.simulated.test.ts';
/** The copy of a scaler that the Canary names no more. */
const OF_FORMER_SCALER = 'src/controller/reconcile/scalers.simulated.test.ts';
const COMING_AND_GOING = 'companions that come and go';
const ofCompanions = ['poddisruptionbudgets.policy', 'networkpolicies.networking.k8s.io', 'verticalpodautoscalers.autoscaling.k8s.io'];

/** Verbs that only some of what can happen takes, each with the scenario, or the test, that shows it. */
export const onlyThen: Readonly<Record<string, string>> = {
  'watch endpointslices.discovery.k8s.io': 'a Service',
  // The user has one of its name.
  'create httpproxies.projectcontour.io': 'test/e2e/rules.test.ts',
  'create routetables.gateway.solo.io': 'test/e2e/rules.test.ts',
  'create traefikservices.traefik.io': 'provider traefik makes its route',
  'delete traefikservices.traefik.io': 'provider traefik makes its route',
  'patch httproutes.gateway.networking.k8s.io [podinfo]': 'an edit from HTTPRoute to GRPCRoute',
  ...usedElsewhere,
  'delete horizontalpodautoscalers.autoscaling': OF_FORMER_SCALER,
  'delete scaledobjects.keda.sh': OF_FORMER_SCALER,
  ...Object.fromEntries(
    ofCompanions.flatMap((resource) => [
      [`get ${resource}`, OF_HEIR],
      ...['create', 'patch', 'delete'].map((verb) => [`${verb} ${resource}`, COMING_AND_GOING]),
    ]),
  ),
};
