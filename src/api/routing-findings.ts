import { fieldPath, shorten } from '../base/field-path.ts';
import { isLabel } from '../base/host-name.ts';
import { valueAt } from '../base/json.ts';
import { parseDuration } from './duration.ts';
import { error, type Finding, ignored, type Scope, warning } from './finding.ts';
import { isKnative } from './knative.ts';
import { groupOf } from './kube-object.ts';
import { endedProvider } from './mesh-provider.ts';
import { names } from './names.ts';
import { factsOf } from './providers.ts';
import { serviceTrafficFields } from './service-traffic.ts';
import { specRecords } from './tracking-metadata.ts';

/** Findings about the target, its scaler and `spec.service`. */
export function routingFindings(scope: Scope): Finding[] {
  return [
    ...nameFindings(scope),
    ...knativeFindings(scope),
    ...referenceFindings(scope),
    ...routeRefFindings(scope),
    ...serviceFindings(scope),
    ...gatewayFindings(scope),
    ...legacyFindings(scope),
  ];
}

const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function* nameFindings({ canary }: Scope): Generator<Finding> {
  const { metadata, spec } = canary;
  const { apexService, primaryService, target } = names(canary);
  if (!isSubdomain(metadata.name)) yield error('metadata.name', `is ${shorten(metadata.name)}: use lower-case letters, digits, - and .`);
  if (!isSubdomain(`${target}-primary`))
    yield error('spec.targetRef.name', `is ${shorten(target)}: use at most 245 lower-case letters, digits, - and .`);
  if (isKnative(spec.targetRef)) return;
  const [field, remedy] = spec.service.name ? ['spec.service.name', ''] : ['spec.targetRef.name', ', or set spec.service.name'];
  if (apexService.length > 253 || !label1035.test(apexService)) {
    const rule = `begin with a letter, then lower-case letters, digits and -${remedy}`;
    yield error(field, `is ${shorten(apexService)}, which is not a name of a Service: ${rule}`);
  } else if (primaryService.length > 63)
    yield error(field, `has ${apexService.length} characters, so that with -primary the Service's name passes 63: use at most 55`);
}

/** Length is checked first: an expression must not run over a hostile text of any size. */
function isSubdomain(name: string): boolean {
  return name.length <= 253 && subdomain.test(name);
}

function* knativeFindings({ canary, provider }: Scope): Generator<Finding> {
  const { spec } = canary;
  if (isKnative(spec.targetRef)) {
    // The field or the flag decides; without either the provider is not known yet.
    if (provider !== undefined && provider !== 'knative')
      yield error('spec.provider', `must be knative, since the target is a Knative Service, and is ${provider}`);
    if (spec.autoscalerRef) yield error('spec.autoscalerRef', 'does not go with a Knative Service, which scales itself: remove it');
    yield* idleTrafficFields(canary);
  } else if (provider === 'knative')
    yield error('spec.targetRef', 'must be a Service of serving.knative.dev/v1 for provider knative: change it, or the provider');
  else yield* coreServiceFindings(spec, provider);
}

/** Traffic settings of Services have no effect if Knative makes the Services. */
export function* idleTrafficFields({ spec: { targetRef, service } }: Pick<Scope['canary'], 'spec'>): Generator<Finding> {
  for (const field of isKnative(targetRef) ? serviceTrafficFields : []) {
    const value = service[field];
    if (value === undefined) continue;
    yield warning(`spec.service.${field}`, `is ${shorten(value)}, which has no effect: Knative makes the Services itself. Remove it`);
  }
}

function* coreServiceFindings({ targetRef }: Scope['canary']['spec'], provider: Scope['provider']): Generator<Finding> {
  if (targetRef.kind !== 'Service' || (provider !== 'kubernetes' && provider !== 'none')) return;
  const why = `does not split a Service target, so that an edit of it reaches all users at once: name a mesh or ingress`;
  yield warning('spec.provider', `${provider} ${why}`);
}

function* legacyFindings({ canary, provider }: Scope): Generator<Finding> {
  const ended = provider && endedProvider(canary, provider);
  if (ended) yield warning('spec.provider', `is ${provider}. ${ended}`);
}

/** Objects from which a provider's routes are made. */
function* referenceFindings({ canary: { spec }, provider }: Scope): Generator<Finding> {
  if (provider === undefined) return;
  const { requires } = factsOf(provider);
  // Listed routes have their own parents and hosts.
  if (requires && isUnset(spec, requires.field) && !(requires.field === 'service.gatewayRefs' && spec.routeRefs?.length))
    yield error(`spec.${requires.field}`, `is missing, and provider ${provider} needs it: ${requires.remedy}`);
  else if (provider === 'gloo' && spec.upstreamRef && !spec.upstreamRef.namespace)
    yield warning('spec.upstreamRef.namespace', "is missing: the Canary's own namespace is used; name it");
}

/** Routes of the user's: the provider does not split a kind that it does not read. */
function* routeRefFindings({ canary: { spec }, provider }: Scope): Generator<Finding> {
  if (provider === undefined) return;
  const { splits = [] } = factsOf(provider);
  const seen = new Set<string>();
  for (const [index, { apiVersion, kind, name }] of (spec.routeRefs ?? []).entries()) {
    const path = `spec.routeRefs[${index}]`;
    const group = groupOf(apiVersion);
    const known = splits.map((one) => `${one.kind} of ${one.group}`).join(' or ');
    if (splits.length === 0)
      yield error(path, `does not go with provider ${provider}, which splits no routes of yours: remove it, or change the provider`);
    else if (!splits.some((one) => one.kind === kind && one.group === group))
      yield error(
        path,
        `names ${shorten(kind)} ${shorten(name)} of ${shorten(apiVersion)}, and provider ${provider} reads ${known}: name one of these`,
      );
    else if (seen.has(`${kind}/${name}`)) yield error(path, `names ${kind} ${shorten(name)} again: remove one of the two`);
    seen.add(`${kind}/${name}`);
  }
}

function isUnset(spec: object, field: string): boolean {
  const value = valueAt(spec, field.split('.'));
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

function* serviceFindings({ canary, provider }: Scope): Generator<Finding> {
  const { service } = canary.spec;
  if (service.delegation && (provider === undefined || provider === 'istio')) {
    for (const field of ['hosts', 'gateways'] as const)
      if (service[field]?.length) yield error(`spec.service.${field}`, 'does not go with delegation: remove it, or delegation');
  }
  for (const key of specRecords.filter((record) => service.apex?.annotations?.[record] !== undefined)) {
    const path = fieldPath(['spec', 'service', 'apex', 'annotations', key]);
    yield ignored(path, 'has no effect, since it is a record of the route itself: remove it');
  }
  const { targetPort } = service;
  if (typeof targetPort === 'number' && (targetPort < 0 || targetPort > 65535))
    yield error('spec.service.targetPort', `is ${targetPort}, which is not a port: use 1 to 65535, or the name of a container port`);
  yield* portNameFindings(service);
  const durations = {
    timeout: service.timeout,
    backendTimeout: service.backendTimeout,
    'retries.perTryTimeout': service.retries?.perTryTimeout,
    'corsPolicy.maxAge': service.corsPolicy?.maxAge,
  };
  for (const [field, text] of Object.entries(durations)) {
    // 0 is a valid time here: it turns the limit off. Empty counts as absent.
    if (!text || parseDuration(text) !== undefined) continue;
    const say = provider === undefined || factsOf(provider).writes === 'texts and times' ? error : ignored;
    yield say(`spec.service.${field}`, `is ${shorten(text)}, which is not a time: write it as in 15s`);
  }
  for (const [index, { backendRef }] of (service.mirror ?? []).entries()) {
    const isService = backendRef && (backendRef.kind ?? 'Service') === 'Service' && (backendRef.group ?? '') === '';
    if (isService && backendRef.port === undefined && (provider === undefined || provider.startsWith('gatewayapi')))
      yield error(`spec.service.mirror[${index}].backendRef.port`, 'is missing: a Service needs one');
  }
  if (!isKnative(canary.spec.targetRef)) yield* trafficFindings(service);
}

/** Limits of the API server: names of Service ports are DNS labels, and names of container ports have at most 15 characters and a letter. */
function* portNameFindings({ portName, targetPort }: Scope['canary']['spec']['service']): Generator<Finding> {
  if (portName && !isLabel(portName))
    yield error('spec.service.portName', `is ${shorten(portName)}, which the API server refuses: use lower-case letters, digits and -`);
  const isName = typeof targetPort === 'string' && targetPort !== '' && !/^\d+$/.test(targetPort);
  if (isName && (targetPort.length > 15 || !isLabel(targetPort) || !/[a-z]/.test(targetPort) || targetPort.includes('--'))) {
    const rule = 'at most 15 lower-case letters, digits and single -, with a letter';
    yield error('spec.service.targetPort', `is ${shorten(targetPort)}, which is not the name of a container port: use ${rule}`);
  }
}

/** Settings that most clusters reject, or whose effect differs from their appearance. */
function* trafficFindings(service: Scope['canary']['spec']['service']): Generator<Finding> {
  const { clientAffinity, clientAffinityConfig, internalTrafficPolicy, trafficDistribution = '' } = service;
  if (clientAffinityConfig && clientAffinity !== 'ClientIP')
    yield warning('spec.service.clientAffinityConfig', 'has no effect without clientAffinity: ClientIP: set it, or remove this');
  const path = 'spec.service.trafficDistribution';
  if (trafficDistribution.includes('/'))
    yield warning(path, `is ${shorten(trafficDistribution)}, which most clusters refuse: the Services go without it then`);
  else if (trafficDistribution && internalTrafficPolicy === 'Local')
    yield warning(path, 'has no effect on clients in the cluster, since internalTrafficPolicy is Local: remove one of them');
}

function* gatewayFindings({ canary, provider }: Scope): Generator<Finding> {
  if (!provider?.startsWith('gatewayapi')) return;
  yield* gatewayMatchFindings(canary);
  yield* leftOutFindings(canary, provider);
}

/** Settings without a field in the written route. */
function leftOutFindings({ spec: { service } }: Scope['canary'], provider: string): Finding[] {
  const isOld = provider === 'gatewayapi:v1beta1';
  const route = isOld ? provider : service.appProtocol?.toLowerCase() === 'grpc' ? 'a GRPCRoute' : undefined;
  if (route === undefined) return [];
  const fields = (['timeout', 'backendTimeout', 'corsPolicy'] as const).filter(
    (field) => service[field] && (isOld || field !== 'corsPolicy'),
  );
  return fields.map((field) =>
    warning(`spec.service.${field}`, `is left out, since ${route} does not have it: use an HTTPRoute of gatewayapi:v1`),
  );
}

function* gatewayMatchFindings(canary: Scope['canary']): Generator<Finding> {
  for (const [index, match] of (canary.spec.service.match ?? []).entries()) {
    const path = `spec.service.match[${index}]`;
    const conditions = [...Object.values(match.headers ?? {}), ...Object.values(match.queryParams ?? {})];
    if (conditions.some((each) => !('exact' in each) && !('regex' in each)))
      yield error(path, 'has headers or query parameters with prefix or suffix, which Gateway API does not know: use exact or regex');
    if (match.method && !('exact' in match.method)) yield error(`${path}.method`, 'must be exact for Gateway API');
  }
}
