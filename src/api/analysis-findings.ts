import { shorten } from '../base/field-path.ts';
import { builtIn } from './built-in-metrics.ts';
import type { Analysis } from './canary.ts';
import { comparisonFindings } from './comparison-findings.ts';
import { parseDuration } from './duration.ts';
import { badDuration, error, type Finding, ignored, type Scope, warning } from './finding.ts';
import { metricFindings, shortestIntervalMs } from './metric-findings.ts';
import { beginsMirrored, capabilitiesFor, choosesUsers, isIstioTcp } from './provider-capabilities.ts';
import { factsOf } from './providers.ts';

const at = (field: string): string => `spec.analysis.${field}`;

/** Findings about `spec.analysis` and `spec.metricsServer`. */
export function* analysisFindings(scope: Scope): Generator<Finding> {
  const { analysis, metricsServer, metricsServerSecretRef, skipAnalysis } = scope.canary.spec;
  if (!skipAnalysis) {
    yield* stepFindings(scope);
    yield* nothingJudges(analysis);
  }
  yield* limitFindings(scope);
  yield* capabilityFindings(scope);
  yield* bothSidesFindings(scope);
  yield* comparisonFindings(scope);
  yield* intervalFindings(analysis);
  for (const [index, metric] of (analysis.metrics ?? []).entries()) yield* metricFindings(metric, at(`metrics[${index}]`), scope);
  yield* webhookFindings(analysis);
  if (metricsServerSecretRef && !metricsServer)
    yield warning('spec.metricsServerSecretRef', 'is for spec.metricsServer, which is not set: set it, or remove this');
  if (metricsServer) yield* urlFindings(metricsServer, 'spec.metricsServer');
  yield* cookieFindings(scope);
}

/** Checks that the release can reach its end by its steps. */
function* stepFindings({ canary, provider }: Scope): Generator<Finding> {
  const { iterations, stepWeight, stepWeights, maxWeight = 0 } = canary.spec.analysis;
  const given = Object.entries({ iterations, stepWeight, stepWeights }).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const [steps] = given;
  const cannotSplit = provider !== undefined && !factsOf(provider).can.weights;
  if (given.length > 1) yield error('spec.analysis', `has ${given.join(' and ')} together, which the API server refuses: keep one of them`);
  else if (steps === undefined)
    yield error(
      'spec.analysis',
      'has no steps: set stepWeight or stepWeights for a share of traffic, or iterations for Blue/Green and A/B',
    );
  else if (cannotSplit && (iterations ?? 0) < 1)
    yield warning(
      at(steps),
      `provider ${provider} cannot split traffic: this runs as Blue/Green with 10 iterations; set iterations instead`,
    );
  else if (stepWeights) yield* stepWeightsFindings(stepWeights);
  else if (stepWeight !== undefined) {
    if (stepWeight <= 0) yield error(at('stepWeight'), 'is not above 0, so the canary never gets traffic: set it from 1 to 100');
    if (maxWeight > 100) yield ignored(at('maxWeight'), `is ${maxWeight} and counts as 100: set it to 100 or less`);
  } else if ((iterations ?? 0) < 1)
    yield error(at('iterations'), 'is below 1 and there are no weights, so the release never moves: set it to 1 or more');
}

function stepWeightsFindings(weights: readonly number[]): Finding[] {
  const path = at('stepWeights');
  const [first] = weights;
  if (first === undefined) return [error(path, 'is empty, so the canary never gets traffic: list rising weights, as in [5, 20, 50]')];
  const found: Finding[] = [];
  if (first <= 0) found.push(error(`${path}[0]`, 'is not above 0, so the canary never gets traffic: begin with 1 or more'));
  for (const [index, weight] of weights.entries()) {
    const before = weights[index - 1];
    if (weight > 100) found.push(ignored(`${path}[${index}]`, `is ${weight} and counts as 100: weights are percent of traffic`));
    if (weight < 0) found.push(error(`${path}[${index}]`, `is ${weight}, below 0: weights are percent of traffic`));
    else if (before !== undefined && weight <= before)
      found.push(error(`${path}[${index}]`, `is ${weight} after ${before}, so the release would not move on: list weights that rise`));
  }
  return found.slice(0, 20);
}

function* nothingJudges({ metrics, webhooks, comparison }: Analysis): Generator<Finding> {
  if (metrics?.some(({ mode }) => mode !== 'observe') || webhooks?.length || comparison?.mode === 'gate') return;
  if (metrics?.length) yield warning('spec.analysis', 'only observes its metrics, so every new version passes: let one of them decide');
  else yield warning('spec.analysis', 'has neither metrics nor webhooks, so every new version passes: add a metric');
}

function* limitFindings({ canary }: Scope): Generator<Finding> {
  const { analysis, progressDeadlineSeconds = 600 } = canary.spec;
  const { mirrorWeight = 100, stepWeightPromotion = 0, threshold } = analysis;
  if (mirrorWeight < 0 || mirrorWeight > 100)
    yield ignored(at('mirrorWeight'), `is ${mirrorWeight} and counts as 100: it is percent of requests, so set it from 1 to 100`);
  for (const field of ['primaryReadyThreshold', 'canaryReadyThreshold'] as const) {
    const percent = analysis[field] ?? 100;
    if (percent > 100) yield error(at(field), `is ${percent} percent, which is never reached: set it to 100 or less`);
    if (percent < 0) yield warning(at(field), `is ${percent} and counts as 0: set it from 0 to 100`);
  }
  if (stepWeightPromotion < 0) yield warning(at('stepWeightPromotion'), 'is negative and counts as 0, one jump: set it from 1 to 100');
  if (threshold <= 0)
    yield warning(at('threshold'), `is ${threshold} and counts as 1, the first failed check ends the release: set it to 1 or more`);
  if (progressDeadlineSeconds <= 0)
    yield warning('spec.progressDeadlineSeconds', 'is not above 0, so an unready workload fails at once: set seconds, as in 600');
}

/**
 * Fields that the provider cannot express. They are refused if running without them would send the wrong users to the canary, or users instead of copies of
 * requests; otherwise they have no effect, as in Flagger.
 */
function* capabilityFindings({ canary, provider }: Scope): Generator<Finding> {
  const { analysis } = canary.spec;
  if (provider === undefined) return;
  const can = capabilitiesFor(canary, provider);
  const who = isIstioTcp(canary, provider) ? 'provider istio with appProtocol tcp' : `provider ${provider}`;
  const elsewhere = 'or use istio or gatewayapi:v1';
  if (analysis.match?.length && !can.headerMatch) {
    const what = `${who} cannot choose requests by headers`;
    if (choosesUsers(canary) && can.weights) yield error(at('match'), `${what}: remove match, ${elsewhere}`);
    else yield ignored(at('match'), `has no effect, since ${what}${can.weights ? ': weights are of all traffic' : ''}. Remove match`);
  }
  if (analysis.mirror && !can.mirroring) {
    const what = `${who} cannot mirror requests`;
    if (beginsMirrored(canary) && can.weights) yield error(at('mirror'), `${what}: remove mirror, ${elsewhere}`);
    else yield ignored(at('mirror'), `has no effect, since ${what}: remove mirror, ${elsewhere}`);
  }
  if (analysis.sessionAffinity && !can.sessionAffinity)
    yield ignored(at('sessionAffinity'), `has no effect, since ${who} cannot keep users on one side: remove it, ${elsewhere}`);
  if (provider.startsWith('gatewayapi')) yield* gatewayMatchFindings(analysis);
}

/** Errors of the canary are diluted by the requests of the primary if both are counted together. */
function* bothSidesFindings({ canary, observed }: Scope): Generator<Finding> {
  const { metrics = [], match } = canary.spec.analysis;
  const why = observed && factsOf(observed).countsBothSides;
  if (why === undefined || match?.length) return;
  const index = metrics.findIndex(({ name, query, templateRef }) => builtIn.includes(name) && !query && !templateRef);
  if (index >= 0)
    yield warning(
      at(`metrics[${index}]`),
      `sees both sides of the split, since ${why}: use a MetricTemplate over metrics of the application`,
    );
}

function gatewayMatchFindings({ match = [] }: Analysis): Finding[] {
  return match.flatMap((entry, index) => {
    const path = at(`match[${index}]`);
    const conditions = [...Object.values(entry.headers ?? {}), ...Object.values(entry.queryParams ?? {})];
    if (conditions.length === 0)
      return [error(path, 'has no header or query parameter, which Gateway API would take as every request: add one')];
    if (conditions.every((each) => 'exact' in each || 'regex' in each)) return [];
    return [error(path, 'uses prefix or suffix, which Gateway API does not know: use exact or regex')];
  });
}

function intervalFindings({ interval }: Analysis): Finding[] {
  const ms = parseDuration(interval);
  if (ms === undefined) return [ignored(at('interval'), `is ${shorten(interval)} and counts as 1m: write it as in 30s or 1m`)];
  if (ms >= shortestIntervalMs) return [];
  return [warning(at('interval'), `is ${shorten(interval)} and is raised to 10s: set it to 10s or more`)];
}

function webhookFindings({ webhooks = [], gateTimeout }: Analysis): Finding[] {
  const ofGates: Finding[] = [];
  if (gateTimeout !== undefined && !((parseDuration(gateTimeout) ?? 0) > 0)) ofGates.push(badDuration(at('gateTimeout'), gateTimeout));
  else if (gateTimeout !== undefined && !webhooks.some(({ type }) => type?.startsWith('confirm-')))
    ofGates.push(ignored(at('gateTimeout'), 'has no effect without a confirm- webhook: add one, or remove it'));
  const ofWebhooks = webhooks.flatMap((webhook, index) => {
    const path = at(`webhooks[${index}]`);
    const found = urlFindings(webhook.url, `${path}.url`);
    const ms = webhook.timeout === undefined ? 1 : parseDuration(webhook.timeout);
    if (webhook.timeout !== undefined && (ms === undefined || ms <= 0)) found.push(badDuration(`${path}.timeout`, webhook.timeout));
    // No release waits for the response of these webhooks.
    return ['event', 'post-rollout'].includes(webhook.type ?? '') ? found.map((one) => ignored(one.path, one.message)) : found;
  });
  return [...ofGates, ...ofWebhooks];
}

function cookieFindings({ canary, provider }: Scope): Finding[] {
  const { sessionAffinity } = canary.spec.analysis;
  if (!sessionAffinity) return [];
  const { cookieName, primaryCookieName } = sessionAffinity;
  const path = at('sessionAffinity');
  const isUsed = provider === undefined || capabilitiesFor(canary, provider).sessionAffinity;
  if (cookieName === '' && isUsed) return [error(`${path}.cookieName`, 'is empty: name the cookie')];
  if (cookieName !== primaryCookieName) return [];
  return [error(`${path}.primaryCookieName`, 'is the same as cookieName, so both sides would claim each user: give it another name')];
}

/** The address must be http or https, with a host. */
function urlFindings(url: string, path: string): Finding[] {
  const parsed = URL.parse(url);
  if (parsed && (parsed.protocol === 'http:' || parsed.protocol === 'https:') && /^https?:\/\//i.test(url)) return [];
  // An address can hold a password before the @, so it is not repeated.
  return [error(path, 'must be an http or https address, as in http://name.namespace/path')];
}
