import { apiVersion, type Canary, type Provider } from '../../api/canary.ts';
import type { Reason, WarningCondition } from '../../api/codes/codes.ts';
import { findingsOnce } from '../../api/findings.ts';
import { endedProvider } from '../../api/mesh-provider.ts';
import { parseMetricTemplate } from '../../api/parse-canary.ts';
import { idleTrafficFields } from '../../api/routing-findings.ts';
import { isResting } from '../../api/step.ts';
import { oncePerObject } from '../../base/once.ts';
import { isIdle } from '../../engine/pin.ts';
import type { AddressPolicy } from '../../outgoing/address-policy.ts';
import { canaryAddresses, refusedAddresses, templateAddresses } from '../../outgoing/written-addresses.ts';
import { routerFor } from '../../routers/index.ts';
import type { ConfigRef } from '../../workloads/configs/config-ref.ts';
import { workloadFor } from '../../workloads/index.ts';
import type { RefusedTrafficFields } from '../admission/refused-traffic-fields.ts';
import { scalerWarnings } from '../facts/scaling.ts';
import type { ClusterView } from '../watch/cluster-view.ts';
import { MOST_BY_NAME_ALONE } from '../watch/namespace-configs.ts';
import type { SeenFailings } from '../watch/pod-watches.ts';

/** Objects of a release that cannot be watched. */
export interface Unwatched {
  configs: readonly ConfigRef[];
  pods?: SeenFailings | undefined;
  /** Companions that do not hold for the primary, or are not known to. */
  companions?: string | undefined;
  /** The losses that were found. Each has had its event. */
  lost?: string | undefined;
}

/** A problem that delays nothing, reported by a condition of this type and by an event of this reason. */
export interface StatusWarning {
  type: Extract<WarningCondition, Reason>;
  message: string;
  /** Its events are sent by who found it. */
  isAnnounced?: true;
}

export function warningsOf(
  canary: Canary,
  provider: Provider,
  view: Pick<ClusterView, 'find' | 'all'>,
  trafficFields: Pick<RefusedTrafficFields, 'messageFor'>,
  { configs, pods, companions, lost }: Unwatched = { configs: [] },
  addresses?: AddressPolicy,
): readonly StatusWarning[] {
  const ended = endedProvider(canary, provider);
  const refused = idleTraffic(canary) ?? trafficFields.messageFor(canary);
  const ignored = ignoredFields(canary, provider, view);
  const scaling = scalerWarnings(canary, view).join('; ');
  const uncalled = addresses && uncalledAddresses(canary, view, addresses);
  return [
    ...(uncalled ? [{ type: 'AddressRejected', message: uncalled } as const] : []),
    ...(configs.length === 0 ? [] : [{ type: 'ConfigUnwatched', message: unwatchedConfigs(canary, configs) } as const]),
    ...(companions === undefined ? [] : [{ type: 'CompanionMissing', message: companions } as const]),
    ...(ignored === undefined ? [] : [{ type: 'FieldIgnored', message: ignored } as const]),
    ...(pods && 'forbidden' in pods ? [{ type: 'PodsUnwatched', message: unwatchedPods(canary, pods.forbidden) } as const] : []),
    ...(ended ? [{ type: 'ProviderDeprecated', message: `spec.provider: ${ended}` } as const] : []),
    ...(refused === undefined ? [] : [{ type: 'ServiceTrafficRejected', message: refused } as const]),
    ...(isScaledUp(canary, view) ? [{ type: 'TargetScaledUp', message: scaledUp(canary) } as const] : []),
    ...(lost === undefined ? [] : [{ type: 'WouldBeLost', message: lost, isAnnounced: true } as const]),
    ...(scaling === '' ? [] : [{ type: 'ScalerWarning', message: scaling } as const]),
  ];
}

/** Addresses of the Canary and of the MetricTemplates that its checks name. An AlertProvider has its own condition. */
function uncalledAddresses({ metadata, spec }: Canary, view: Pick<ClusterView, 'find'>, policy: AddressPolicy): string | undefined {
  const refs = (spec.analysis.metrics ?? []).flatMap(({ templateRef: ref }) =>
    ref ? [{ name: ref.name, namespace: ref.namespace || metadata.namespace }] : [],
  );
  const templates = new Map(refs.map((ref) => [`${ref.namespace}/${ref.name}`, ref]));
  const ofTemplates = [...templates].flatMap(([key, ref]) => {
    const object = view.find({ apiVersion, kind: 'MetricTemplate', ...ref })?.object;
    const read = object && templateOf(object);
    if (!read || 'problems' in read) return [];
    return refusedAddresses(templateAddresses(read.metricTemplate.spec), policy).map((one) => ({
      ...one,
      path: `MetricTemplate ${key} ${one.path}`,
    }));
  });
  const all = [...refusedAddresses(canaryAddresses({ spec }), policy), ...ofTemplates];
  if (all.length === 0) return undefined;
  const shown = all.slice(0, MOST_SHOWN).map(({ path, message }) => `${path}: ${message}`);
  return [...shown, ...(all.length > MOST_SHOWN ? [`${all.length - MOST_SHOWN} more`] : [])].join('; ');
}

const templateOf = oncePerObject(parseMetricTemplate);
/** Addresses that a condition names. */
const MOST_SHOWN = 5;

/** A change of only these starts no release. */
function unwatchedConfigs({ metadata: { namespace } }: Canary, refs: readonly ConfigRef[]): string {
  const SHOWN = 5;
  const named = refs.slice(0, SHOWN).map(({ kind, name }) => `${kind} ${name}`);
  const more = refs.length > SHOWN ? ` and ${refs.length - SHOWN} more` : '';
  const resources = [...new Set(refs.map(({ kind }) => `${kind.toLowerCase()}s`))].join(' and ');
  return `${named.join(', ')}${more} are read when a release starts, and not watched, since ${MOST_BY_NAME_ALONE} others of namespace ${namespace} are watched by name: grant the service account of Serin list and watch on ${resources} without resourceNames, or name fewer`;
}

/** Crashes are not seen then (E27b). */
function unwatchedPods({ metadata: { namespace } }: Canary, why: string): string {
  return `pods of namespace ${namespace} cannot be watched (${why}): a crash of the canary counts by the time for which it is not ready, and not as a failed check. Grant the service account of Serin list and watch on pods`;
}

/** Another writer has given a resting target pods. */
function isScaledUp(canary: Canary, view: Pick<ClusterView, 'find' | 'all'>): boolean {
  const { release } = canary.status ?? {};
  const workload = workloadFor(canary.spec.targetRef);
  if (release === undefined || !isResting(release) || 'unsupported' in workload) return false;
  const { target } = workload.sides(canary, view);
  return target !== undefined && isIdle(target, release);
}

function scaledUp({ spec: { targetRef } }: Canary): string {
  const { kind, name } = targetRef;
  return `${kind} ${name} was scaled up while no release is in progress: its pods get no traffic, and Serin leaves them alone. To save them, take the replicas out of its manifest and scale it to zero`;
}

/** The release goes on without them (E106). */
function ignoredFields(canary: Canary, provider: Provider, view: Pick<ClusterView, 'find'>): string | undefined {
  const router = routerFor(provider);
  const current = 'unsupported' in router ? [] : router.watches(canary).flatMap((ref) => view.find(ref)?.object ?? []);
  const ofRouter = 'unsupported' in router ? [] : (router.ignores?.(canary, current) ?? []);
  const ignored = [...findingsOnce(canary, provider).filter(({ isIgnored }) => isIgnored), ...ofRouter];
  return ignored.length === 0 ? undefined : ignored.map(({ path, message }) => `${path} ${message}`).join('; ');
}

/** No Service exists to hold it. */
function idleTraffic(canary: Canary): string | undefined {
  const [first] = idleTrafficFields(canary);
  return first && `${first.path}: ${first.message}`;
}
