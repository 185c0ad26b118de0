import type { KubeObject } from '../../../src/api/kube-object.ts';
import { canaryFor } from '../../scenarios/providers/canary-for.ts';
import { providerFixtures } from '../../scenarios/providers/index.ts';
import type { ProviderFixture } from '../../scenarios/providers/provider-fixture.ts';
import type { Receivers } from '../cluster/receivers.ts';
import type { NamedScenario } from './scenario.ts';

const SHORT_DEADLINE_SECONDS = 60;
/** A gateway that no request enters by, and the mesh, where users are. */
const BESIDE_MESH = ['istio-system/front', 'mesh'];
const ROUTING: Readonly<Record<NamedScenario['routing'], object>> = {
  plain: {},
  'ports-beside-mesh': { portDiscovery: true, gateways: BESIDE_MESH },
  'labels-beside-gateways': { match: [{ gateways: ['mesh'] }] },
};
const INSIDERS = [{ headers: { 'x-canary': { exact: 'insider' } } }];

/** Only Services, without a mesh. */
const kubernetes: ProviderFixture = {
  provider: 'kubernetes',
  host: ({ name, namespace }) => `${name}.${namespace}`,
  route: ({ name, namespace }) => ({ apiVersion: 'v1', kind: 'Service', name, namespace }),
  edits: {},
};

export function fixtureOf({ provider }: Pick<NamedScenario, 'provider'>): ProviderFixture {
  const found = [kubernetes, ...providerFixtures].find((fixture) => fixture.provider === provider);
  if (!found) throw new Error(`no fixture of provider ${provider}`);
  return found;
}

/** The Canary, and what it refers to. */
export function canaryObjects(scenario: NamedScenario, namespace: string, receivers: Receivers): KubeObject[] {
  const { name, scaler, target } = scenario;
  const apiVersion = 'flagger.app/v1beta1';
  const metadata = { name, namespace };
  const alerts = {
    apiVersion,
    kind: 'AlertProvider',
    metadata,
    spec: { type: 'slack', channel: 'releases', address: receivers.alertUrl(name) },
  };
  const query = `sum(rate(template_metric{app="{{ target }}",namespace="{{ namespace }}"}[{{ interval }}]))`;
  const template = {
    apiVersion,
    kind: 'MetricTemplate',
    metadata,
    spec: { provider: { type: 'prometheus', address: receivers.url }, query },
  };
  const fixture = fixtureOf(scenario);
  const routed = { ...fixture, service: (app: typeof metadata) => ({ ...fixture.service?.(app), ...ROUTING[scenario.routing] }) };
  const canary = canaryFor(routed, metadata, analysisOf(scenario, receivers), {
    targetRef: { apiVersion: target === 'Service' ? 'v1' : 'apps/v1', kind: target, name },
    ...(scaler === 'hpa' ? { autoscalerRef: { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name } } : {}),
    ...(scenario.strategy === 'skipAnalysis' ? { skipAnalysis: true } : {}),
  });
  return [alerts, ...(scenario.checks.startsWith('template') ? [template] : []), canary];
}

/** A merge patch of the Canary that comes right before the push: a busy machine takes longer than a short deadline for the first pods. */
export const deadlinePatch = ({ deadline }: NamedScenario): Record<string, unknown> => ({
  spec: deadline === 'short' ? { progressDeadlineSeconds: SHORT_DEADLINE_SECONDS } : {},
});

const STRATEGIES: Readonly<Record<NamedScenario['strategy'], object>> = {
  weights: { stepWeight: 20, maxWeight: 40 },
  stepWeights: { stepWeights: [10, 50] },
  promotionSteps: { stepWeight: 50, maxWeight: 50, stepWeightPromotion: 50 },
  mirrorWeights: { stepWeight: 30, maxWeight: 30, mirror: true },
  ab: { iterations: 2, match: INSIDERS },
  blueGreen: { iterations: 2 },
  blueGreenMirror: { iterations: 2, mirror: true },
  skipAnalysis: { stepWeight: 50, maxWeight: 50 },
};

function analysisOf(scenario: NamedScenario, receivers: Receivers): object {
  const { name, strategy, threshold, routing } = scenario;
  return {
    interval: '10s',
    threshold: Number(threshold),
    ...STRATEGIES[strategy],
    ...(routing === 'labels-beside-gateways' ? { match: [{ sourceLabels: { app: 'insider' } }] } : {}),
    metrics: metricsOf(scenario),
    webhooks: webhooksOf(scenario, receivers),
    alerts: [{ name: 'releases', severity: 'info', providerRef: { name } }],
  };
}

function metricsOf({ name, checks }: NamedScenario): object[] {
  const [kind] = checks.split('-');
  const below = { interval: '30s', thresholdRange: { max: 1 } };
  if (kind === 'builtin')
    return [
      { name: 'request-success-rate', interval: '30s', thresholdRange: { min: 99 } },
      { name: 'request-duration', interval: '30s', thresholdRange: { max: 500 } },
    ];
  if (kind === 'inline') return [{ name: 'errors', ...below, query: `sum(inline_metric{app="{{ target }}",namespace="{{ namespace }}"})` }];
  if (kind === 'template') return [{ name: 'errors', ...below, templateRef: { name } }];
  return [];
}

function webhooksOf({ name, gate, hook }: NamedScenario, receivers: Receivers): object[] {
  const webhooks: object[] = [];
  const metadata = { key: 'value' };
  if (hook !== 'none') {
    const type = HOOK_TYPES.find((each) => hook.startsWith(each));
    webhooks.push({ name: 'hook', type, url: receivers.hookUrl(name, 'hook'), timeout: '5s', metadata });
  }
  const [gateName] = gate.split('-');
  if (gate !== 'none')
    webhooks.push({
      name: 'gate',
      type: gateName === 'traffic' ? 'confirm-traffic-increase' : `confirm-${gateName}`,
      url: receivers.hookUrl(name, 'gate'),
      timeout: '5s',
    });
  return webhooks;
}

const HOOK_TYPES = ['pre-rollout', 'post-rollout', 'rollout', 'rollback', 'event'];
