/** The dimensions of a scenario and their values. */
export const FACTORS = {
  provider: [
    'istio',
    'nginx',
    'gatewayapi:v1',
    'kubernetes',
    'smi:v1alpha2',
    'linkerd',
    'contour',
    'traefik',
    'skipper',
    'apisix',
    'gloo',
    'gatewayapi:v1beta1',
  ],
  strategy: ['weights', 'stepWeights', 'promotionSteps', 'mirrorWeights', 'ab', 'blueGreen', 'blueGreenMirror', 'skipAnalysis'],
  /** A Service is played by itself only: Flagger cannot make its copies on an API server of today (DF49). */
  target: ['Deployment', 'DaemonSet', 'Service'],
  scaler: ['none', 'hpa'],
  /** Confirmation hook, and whether it answers yes: at once, after two refusals, or never. */
  gate: [
    'none',
    'rollout',
    'rollout-opens',
    'rollout-closed',
    'traffic',
    'traffic-opens',
    'traffic-closed',
    'promotion',
    'promotion-opens',
    'promotion-closed',
  ],
  /** Another hook, and its answer. `rollback-later` answers yes as soon as the canary is under analysis. */
  hook: [
    'none',
    'pre-rollout',
    'pre-rollout-4xx',
    'pre-rollout-5xx',
    'rollout',
    'rollout-4xx',
    'rollout-slow',
    'post-rollout',
    'post-rollout-4xx',
    'rollback-now',
    'rollback-later',
    'rollback-no',
    'event',
  ],
  /** Kind of the metric checks, and the answers of Prometheus. */
  checks: [
    'none',
    'builtin',
    'builtin-fails',
    'builtin-fails-once',
    'builtin-no-data',
    'builtin-down',
    'inline',
    'inline-fails',
    'template',
    'template-fails',
  ],
  threshold: ['1', '2'],
  deadline: ['default', 'short'],
  /** Health of the new version's pods. */
  pods: ['healthy', 'slow', 'unpullable', 'one-unready', 'one-breaks', 'lost'],
  /** End of its containers after they were ready; played only by itself (DF690). */
  crashes: ['none', 'loop'],
  /** Routing of Istio besides weights; played only by itself. `ports-beside-mesh`: DF633, `labels-beside-gateways`: DF634. */
  routing: ['plain', 'ports-beside-mesh', 'labels-beside-gateways'],
} as const;

export type Factor = keyof typeof FACTORS;
export const factorNames = Object.keys(FACTORS) as Factor[];
/** One value of each factor. */
export type Scenario = { [F in Factor]: (typeof FACTORS)[F][number] };

/** The value of each factor that changes nothing. */
export const PLAIN: Scenario = {
  provider: 'istio',
  strategy: 'weights',
  target: 'Deployment',
  scaler: 'none',
  gate: 'none',
  hook: 'none',
  checks: 'none',
  threshold: '2',
  deadline: 'default',
  pods: 'healthy',
  crashes: 'none',
  routing: 'plain',
};

/** A scenario and the name of its application, which is as long as every other. */
export interface NamedScenario extends Scenario {
  name: string;
}

/** The values that differ from `PLAIN`, for titles and reports. */
export function describeScenario(scenario: Scenario): string {
  const { provider, strategy, target } = scenario;
  const others = factorNames
    .filter((factor) => !['provider', 'target', 'strategy'].includes(factor) && scenario[factor] !== PLAIN[factor])
    .map((factor) => `${factor} ${scenario[factor]}`);
  return [provider, target, strategy, ...others].join(', ');
}
