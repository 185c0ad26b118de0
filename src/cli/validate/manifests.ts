import type { Canary, Provider } from '../../api/canary.ts';
import { apiVersion, group } from '../../api/canary.ts';
import type { Finding } from '../../api/finding.ts';
import { groupOf as groupOfVersion, type KubeObject } from '../../api/kube-object.ts';
import { providerOf } from '../../api/mesh-provider.ts';
import type { MetricTemplateSpec } from '../../api/metric-template.ts';
import { parseCanary, parseMetricTemplate } from '../../api/parse-canary.ts';
import type { UnreadKind } from '../../arrival/world.ts';
import { defined } from '../../base/defined.ts';
import type { Item } from './documents.ts';
import type { ObjectOptions } from './object-findings.ts';

/** A Canary that can be parsed; `provider` is undefined if it is not known. */
export type CanaryItem = Item & { canary: Canary; provider: Provider | undefined };
/** A MetricTemplate that can be parsed. */
export type TemplateItem = Item & { spec: MetricTemplateSpec };

/** Input of the checks: the objects of all files of a run and, with --live, those of the cluster that they refer to. */
export interface Manifests extends ObjectOptions {
  items: readonly Item[];
  /** Readable objects; the others have findings of their own. */
  canaries: readonly CanaryItem[];
  templates: readonly TemplateItem[];
  /** Labels by which a controller distinguishes the sides of a target, as `--selector-labels` has them. */
  selectorLabels: readonly string[];
  /** `--require-secret-label` of the controller. */
  requireSecretLabel: boolean;
  /** `--allowed-local-addresses` of the controller. */
  allowedLocalAddresses: readonly string[];
  /** The cluster was read: an object that is absent here does not exist, unless `hidden` has its kind. */
  isWhole: boolean;
  /** Kinds that could not be read, as `Secret`. */
  hidden: ReadonlySet<string>;
  /** By namespace: kinds that an arrival looks at and that could not be read. */
  unread: ReadonlyMap<string, readonly UnreadKind[]>;
  /** Kinds of traffic providers that the cluster does not serve, as `TrafficSplit in split.smi-spec.io/v1alpha4`, by provider. */
  unserved: ReadonlyMap<Provider, readonly string[]>;
}

/** A finding on one object of the manifests. */
export type ManifestFinding = Finding & { on: Item };

/** A pure test of the manifests. */
export type ManifestCheck = (manifests: Manifests) => Iterable<ManifestFinding>;

/** Flags of the command and of the controller that findings depend on. */
export type ManifestOptions = { [K in keyof Omit<Manifests, 'items' | 'canaries' | 'templates'>]?: Manifests[K] | undefined };

/** Default of --selector-labels. */
export const defaultSelectorLabels = ['app', 'name', 'app.kubernetes.io/name'];

/** Sorts objects by kind for the checks. */
export function manifestsOf(items: readonly Item[], options: ManifestOptions = {}): Manifests {
  const defaults = {
    selectorLabels: defaultSelectorLabels,
    requireSecretLabel: false,
    allowedLocalAddresses: [],
    isWhole: false,
    hidden: new Set<string>(),
    unread: new Map<string, readonly UnreadKind[]>(),
    unserved: new Map<Provider, readonly string[]>(),
  };
  const canaries = items.flatMap((item): CanaryItem[] => {
    if (!isFlaggerObject(item.object, 'Canary')) return [];
    const read = parseCanary(item.object);
    if ('problems' in read) return [];
    const named = read.canary.spec.provider ?? options.provider;
    return [{ ...item, canary: read.canary, provider: named && providerOf(named) }];
  });
  const templates = items.flatMap((item): TemplateItem[] => {
    if (!isFlaggerObject(item.object, 'MetricTemplate')) return [];
    const read = parseMetricTemplate(item.object);
    return 'problems' in read ? [] : [{ ...item, spec: read.metricTemplate.spec }];
  });
  return { ...defaults, ...defined(options), items, canaries, templates };
}

/** Kinds of Flagger's API group. */
export const ourKinds = ['Canary', 'MetricTemplate', 'AlertProvider'] as const;

/** An object of `flagger.app/v1beta1`, of any kind or of this one. */
export function isFlaggerObject(object: KubeObject, kind?: (typeof ourKinds)[number]): boolean {
  return object.apiVersion === apiVersion && (kind === undefined ? ourKinds.some((one) => one === object.kind) : object.kind === kind);
}

/** The API group; empty for core/v1. */
export const apiGroupOf = ({ apiVersion }: Pick<KubeObject, 'apiVersion'>): string => groupOfVersion(String(apiVersion));

/** A manifest without a namespace can be applied to any. */
export const isNear = (a: string | undefined, b: string | undefined): boolean => a === undefined || b === undefined || a === b;

/** An object to find by kind, group, name and namespace. */
export interface ItemRef {
  kind: string;
  /** The API group; of any version. */
  group: string;
  name: string;
  namespace: string | undefined;
}

/** The object that is meant; one of exactly this namespace first. */
export function findItem(manifests: Pick<Manifests, 'items'>, { kind, group, name, namespace }: ItemRef): Item | undefined {
  const found = (namedIn(manifests.items).get(name) ?? []).filter(
    (item) => item.object.kind === kind && apiGroupOf(item.object) === group && isNear(item.namespace, namespace),
  );
  return found.find((item) => item.namespace === namespace) ?? found[0];
}

const byName = new WeakMap<readonly Item[], ReadonlyMap<string, readonly Item[]>>();

/** Each Canary looks for several objects: all of them are grouped once. */
function namedIn(items: readonly Item[]): ReadonlyMap<string, readonly Item[]> {
  const known = byName.get(items) ?? Map.groupBy(items, ({ name }) => name);
  byName.set(items, known);
  return known;
}

/** The workload that a Canary releases. */
export function targetIn(manifests: Pick<Manifests, 'items'>, { canary, namespace }: CanaryItem): Item | undefined {
  const { kind, name } = canary.spec.targetRef;
  return findItem(manifests, { kind, group: apiGroupOf(canary.spec.targetRef), name, namespace });
}

/** The MetricTemplate, AlertProvider or Canary that is meant. */
export const findOurs = (
  manifests: Manifests,
  kind: (typeof ourKinds)[number],
  name: string,
  namespace: string | undefined,
): Item | undefined => findItem(manifests, { kind, group, name, namespace });

/** Tests if it is known that an object does not exist. */
export const isAbsent = ({ isWhole, hidden }: Manifests, kind: string): boolean => isWhole && !hidden.has(kind);

/** `shop.yaml:12`, for messages about two objects; for an object from the cluster only its name. */
export function whereOf({ object, name, namespace, place }: Item): string {
  const full = `${object.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
  return place ? `${full} (${place.source}:${place.lineOf('')})` : `${full} (in the cluster)`;
}

/** Findings with the object that they are about. */
export const findingOn = (item: Item, findings: Iterable<Finding>): ManifestFinding[] =>
  Array.from(findings, (finding) => ({ ...finding, on: item }));

/** A check of each Canary by itself, beside the other objects. */
export const perCanary =
  (check: (item: CanaryItem, manifests: Manifests) => Iterable<Finding>): ManifestCheck =>
  (manifests) =>
    manifests.canaries.flatMap((item) => findingOn(item, check(item, manifests)));
