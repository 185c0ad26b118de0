import { hash } from 'node:crypto';
import type { Canary } from '../../api/canary.ts';
import { specOf } from '../../api/kinds/spec-of.ts';
import { findObject, type KubeObject, type ObjectRef } from '../../api/kube-object.ts';
import { carriedAnnotation, names } from '../../api/names.ts';
import { compareText } from '../../base/compare-text.ts';
import { isRecord, type JsonRecord } from '../../base/json.ts';
import type { Unkept } from '../router.ts';

const KIND = 'DestinationRule';
/** `meshConfig.rootNamespace` by default: its rules are for all namespaces. */
export const ROOT_NAMESPACE = 'istio-system';

interface Rule {
  object: KubeObject;
  host: string;
  namespace: string;
  trafficPolicy?: JsonRecord | undefined;
  exportTo: readonly unknown[];
  /** Only for clients with certain labels. */
  isForSome: boolean;
}

/**
 * The DestinationRule of one side. Traffic goes to its host, so that neither the rule of the apex host holds any more, nor a rule for all hosts, which this one
 * hides: it repeats them (I17), for the clients that see them. `spec.service.trafficPolicy` replaces it as a whole, and a side for which the user has a rule
 * keeps that one. The mark changes with the repeated fields, so that a removed one is noticed.
 */
export function renderDestinationRule(canary: Canary, ref: ObjectRef, current: readonly KubeObject[]): KubeObject {
  const own = canary.spec.service.trafficPolicy;
  const rules = rulesIn(current, ref.apiVersion);
  const hasOwn = rules.some((rule) => isExactly(canary, rule, ref.name) && rule.object.metadata.name !== ref.name);
  const carried = own || hasOwn ? undefined : effectiveRule(canary, rules);
  const { namespace } = canary.metadata;
  const isMarked = findObject(current, ref)?.metadata.annotations?.[carriedAnnotation] !== undefined;
  const mark = carried ? markOf(carried) : isMarked ? '' : undefined;
  const trafficPolicy = own ?? carried?.trafficPolicy;
  return {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name: ref.name, namespace, ...(mark !== undefined && { annotations: { [carriedAnnotation]: mark } }) },
    spec: {
      host: ref.name,
      ...(carried && carried.exportTo.length > 0 && { exportTo: [...carried.exportTo] }),
      ...(trafficPolicy && { trafficPolicy: structuredClone(trafficPolicy) }),
    },
  };
}

function markOf({ object, trafficPolicy, exportTo }: Rule): string {
  const { namespace, name } = object.metadata;
  return `${namespace}/${name} ${hash('sha256', JSON.stringify([trafficPolicy, exportTo])).slice(0, 12)}`;
}

/**
 * The rule by which clients balance over the apex Service: of its namespace, else of the root namespace; of these the rule with the most specific host; of
 * several for one host the oldest that has a policy. `undefined` if no rule applies, or it has no policy.
 * Source: Istio, pilot/pkg/model, push_context.go `destinationRule` and destination_rule.go `mergeDestinationRule`.
 */
function effectiveRule(canary: Canary, rules: readonly Rule[]): (Rule & { trafficPolicy: JsonRecord }) | undefined {
  const { namespace } = canary.metadata;
  const seen = rules.filter((rule) => !rule.isForSome && isForApex(canary, rule));
  const isSeenHere = ({ exportTo }: Rule) => exportTo.length === 0 || exportTo.includes('*') || exportTo.includes(namespace);
  const near = seen.filter((rule) => rule.namespace === namespace);
  const candidates = near.length > 0 ? near : seen.filter((rule) => rule.namespace === ROOT_NAMESPACE && isSeenHere(rule));
  const rank = (rule: Rule) => (isExactly(canary, rule, names(canary).apexService) ? Number.MAX_SAFE_INTEGER : rule.host.length);
  const most = Math.max(...candidates.map(rank));
  const ofHost = candidates.filter((rule) => rank(rule) === most).toSorted(byAge);
  return ofHost.find((rule): rule is Rule & { trafficPolicy: JsonRecord } => rule.trafficPolicy !== undefined);
}

/** The rule that those of the sides repeat. */
export function carriedRules(canary: Canary, objects: readonly KubeObject[]): KubeObject[] {
  const effective = canary.spec.service.trafficPolicy ? undefined : effectiveRule(canary, rulesIn(objects));
  return effective ? [effective.object] : [];
}

/** Parts of the DestinationRules of all namespaces that do not hold for the sides. */
export function unkeptRules(canary: Canary, objects: readonly KubeObject[]): Unkept[] {
  const { primaryService, canaryService, apexService } = names(canary);
  const { namespace } = canary.metadata;
  const sides = `${primaryService} and ${canaryService}`;
  const rules = rulesIn(objects);
  const own = canary.spec.service.trafficPolicy;
  const effective = effectiveRule(canary, rules);
  const fields = own && effective ? Object.keys(effective.trafficPolicy) : [];
  const replaced = fields.filter((field) => own?.[field] === undefined).sort();
  const isLost = (rule: Rule) =>
    isExactly(canary, rule, apexService) &&
    (rule.isForSome ? rule.namespace === namespace : ![namespace, ROOT_NAMESPACE].includes(rule.namespace)) &&
    ![primaryService, canaryService].every((side) => rules.some((other) => isBeside(rule, other) && isExactly(canary, other, side)));
  const whole =
    effective && replaced.length > 0
      ? unkept(
          effective,
          'spec.trafficPolicy',
          `has ${replaced.join(', ')}, which would not hold for ${sides}, since spec.service.trafficPolicy of the Canary replaces it as a whole`,
          'also write that into spec.service.trafficPolicy',
        )
      : [];
  const ofSome = rules.filter(isLost).flatMap((rule) => {
    const whose = rule.isForSome ? 'only some clients' : `the clients of namespace ${rule.namespace}`;
    const field = rule.isForSome ? 'spec.workloadSelector' : 'spec.host';
    return unkept(rule, field, `is for ${whose}, and would not hold for ${sides}`, 'add rules for these two hosts beside it');
  });
  return [...whole, ...ofSome];
}

const unkept = ({ object }: Rule, field: string, detail: string, remedy: string): Unkept[] => [
  { on: object, field, detail, remedy, isRefused: false },
];

/** For the same clients, as far as can be seen. */
const isBeside = (one: Rule, other: Rule): boolean => other.namespace === one.namespace && other.isForSome === one.isForSome;

/** The first subset of the apex host that a VirtualService names: pods of it are not those of a side. */
export function namedSubset(canary: Canary, spec: unknown): string | undefined {
  if (typeof spec !== 'object' || spec === null) return undefined;
  if (
    isRecord(spec) &&
    typeof spec.host === 'string' &&
    typeof spec.subset === 'string' &&
    isHostOf(canary, spec.host, names(canary).apexService)
  )
    return spec.subset;
  for (const inner of Object.values(spec)) {
    const subset = namedSubset(canary, inner);
    if (subset !== undefined) return subset;
  }
  return undefined;
}

function rulesIn(objects: readonly KubeObject[], apiVersion?: string): Rule[] {
  return objects.flatMap((object) => {
    if (object.kind !== KIND || (apiVersion !== undefined && object.apiVersion !== apiVersion)) return [];
    const { host, trafficPolicy, exportTo, workloadSelector } = specOf<JsonRecord>(object);
    if (typeof host !== 'string') return [];
    return [
      {
        object,
        host,
        namespace: object.metadata.namespace ?? '',
        ...(isRecord(trafficPolicy) && { trafficPolicy }),
        exportTo: Array.isArray(exportTo) ? exportTo : [],
        isForSome: workloadSelector !== undefined,
      },
    ];
  });
}

function isForApex(canary: Canary, rule: Rule): boolean {
  const { apexService } = names(canary);
  if (!rule.host.startsWith('*')) return isExactly(canary, rule, apexService);
  const end = rule.host.slice(1);
  const [before, domain] = end.split('.svc.');
  const short = `${apexService}.${canary.metadata.namespace}`;
  // The domain of the cluster is not known: a host that says more than `svc` names it.
  return `${short}.svc.cluster.local`.endsWith(end) || (domain !== undefined && short.endsWith(before ?? ''));
}

/** A short name is of the rule's own namespace. */
function isExactly(canary: Canary, { host, namespace }: Rule, service: string): boolean {
  return host.includes('.') ? isHostOf(canary, host, service) : host === service && namespace === canary.metadata.namespace;
}

function isHostOf(canary: Canary, host: string, service: string): boolean {
  return host === service || host.startsWith(`${service}.${canary.metadata.namespace}.svc.`);
}

function byAge({ object: { metadata: a } }: Rule, { object: { metadata: b } }: Rule): number {
  return compareText(a.creationTimestamp ?? '', b.creationTimestamp ?? '') || compareText(a.name, b.name);
}
