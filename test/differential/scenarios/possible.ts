import type { Scenario } from './scenario.ts';

type Partially = { readonly [F in keyof Scenario]?: string };

const CANNOT_MIRROR = ['nginx', 'kubernetes', 'smi:v1alpha2', 'linkerd', 'contour', 'traefik', 'skipper', 'apisix', 'gloo'];
const CANNOT_MATCH = ['kubernetes', 'smi:v1alpha2', 'linkerd', 'traefik', 'skipper', 'apisix', 'contour', 'gloo'];
const ONLY_ITERATIONS = ['kubernetes'];
const LATE = ['slow', 'unpullable', 'one-unready', 'one-breaks'];
const WEIGHTED = ['weights', 'stepWeights', 'promotionSteps', 'mirrorWeights'];

/** Each names two factors whose values cannot be combined, or have no effect together. */
const RULES: readonly ((one: Partially) => boolean)[] = [
  // Flagger's documentation gives these strategies to other providers only.
  ({ strategy = '', provider = '' }) => !strategy.includes('irror') || !CANNOT_MIRROR.includes(provider),
  ({ strategy, provider = '' }) => strategy !== 'ab' || !CANNOT_MATCH.includes(provider),
  ({ strategy = '', provider = '' }) => !ONLY_ITERATIONS.includes(provider) || !WEIGHTED.includes(strategy),
  ({ target, scaler }) => scaler !== 'hpa' || target === undefined || target === 'Deployment',
  // Traffic increases are confirmed where there are weights.
  ({ gate = '', strategy = 'weights' }) => !gate.startsWith('traffic') || WEIGHTED.includes(strategy),
  // Without an analysis there are no checks to fail and no pods to lose in it.
  ({ strategy, checks = 'none' }) => strategy !== 'skipAnalysis' || checks === 'none',
  ({ strategy, pods = 'healthy' }) => strategy !== 'skipAnalysis' || !['lost', 'one-breaks'].includes(pods),
  // A deadline is for pods that are late; without a short one they would be waited for ten minutes.
  ({ deadline, pods }) => deadline !== 'short' || pods === undefined || LATE.includes(pods),
  ({ deadline, pods }) => deadline !== 'default' || pods === undefined || !['unpullable', 'one-unready', 'one-breaks'].includes(pods),
];

/** Values that end or hold a release: two of them would hide each other. */
const DECISIVE: readonly RegExp[] = [
  /^(traffic|promotion|rollout)-closed$/,
  /^(pre-rollout|rollout)-(4xx|5xx|slow)$/,
  /-(fails|no-data|down)$/,
  /^(unpullable|one-unready|one-breaks)$/,
];
const isDecisive = (value: string | undefined): boolean => value !== undefined && DECISIVE.some((pattern) => pattern.test(value));

export const isPossible = (row: Partially): boolean =>
  [row.gate, row.hook, row.checks, row.pods].filter(isDecisive).length <= 1 && RULES.every((rule) => rule(row));
