import type { LabelSelector } from '../api/kinds/label-selector.ts';
import type { PodTemplate } from '../api/kinds/pod-template.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { type KubeObject, type Labels, type ObjectRef, refKey, refOf } from '../api/kube-object.ts';
import { selects } from '../workloads/label-selector.ts';

/** Pods made from one template. */
export interface Pods {
  owner: ObjectRef;
  namespace: string;
  labels: Labels;
  /** Desired number; absent if the kind has no such field or the default applies. */
  replicas?: number | undefined;
}

/** A kind that could not be read. It is reported as "not checked", never as "none". */
export interface UnreadKind {
  apiVersion: string;
  kind: string;
  why: string;
}

/** A living application at the arrival of a Canary: both sides, and every object that can refer to them. */
export interface LivingApplication {
  namespace: string;
  target: Pods;
  /** Has the labels that its pods have or will have, and the number of pods that serve now. */
  primary: Pods;
  /** Labels of the primary's selector. */
  primaryLabels: Labels;
  /** Pods of other workloads, of every namespace that was read. */
  others: readonly Pods[];
  objects: readonly KubeObject[];
  /** Labels of the known namespaces; each has its name as `kubernetes.io/metadata.name`. */
  namespaces: ReadonlyMap<string, Labels>;
  unread: readonly UnreadKind[];
}

interface Sides {
  target: KubeObject;
  /** The stored primary, or the primary that would be made. */
  primary: KubeObject;
}

/** Sorts the objects that were read: two workloads are the two sides, and the others with a pod template are other workloads. */
export function worldOf(
  { target, primary }: Sides,
  objects: readonly KubeObject[],
  { unread = [], namespaces = [] }: { unread?: readonly UnreadKind[]; namespaces?: readonly KubeObject[] } = {},
): LivingApplication {
  const namespace = target.metadata.namespace ?? '';
  const sides = new Set([target, primary].map((one) => refKey(refOf(one))));
  const distinct = [...new Map(objects.map((one) => [refKey(refOf(one)), one])).values()];
  const known = distinct.filter((one) => !sides.has(refKey(refOf(one))));
  return {
    namespace,
    target: podsOf(target) ?? noPods(target),
    primary: podsOf(primary) ?? noPods(primary),
    primaryLabels: matchLabelsOf(primary) ?? selectorOfPrimary(target, primary),
    others: known.flatMap((one) => podsOf(one) ?? []),
    objects: known,
    namespaces: new Map(namespaces.map(({ metadata }) => [metadata.name, labelsOfNamespace(metadata.name, metadata.labels)])),
    unread,
  };
}

const matchLabelsOf = (object: KubeObject): Labels | undefined => specOf<{ selector?: LabelSelector }>(object).selector?.matchLabels;

/** The selector gets the values of the target's labels. */
function selectorOfPrimary(target: KubeObject, primary: KubeObject): Labels {
  const labels = podsOf(primary)?.labels ?? {};
  const keys = Object.keys(matchLabelsOf(target) ?? {});
  return Object.fromEntries(keys.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])));
}

const noPods = (object: KubeObject): Pods => ({ owner: refOf(object), namespace: object.metadata.namespace ?? '', labels: {} });

/** Every namespace has its name as a label. */
export const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

const labelsOfNamespace = (name: string, labels: Labels = {}): Labels => ({ ...labels, [NAMESPACE_NAME]: name });

/** The known labels of a namespace. */
export function namespaceLabels(world: LivingApplication, name: string): Labels {
  return world.namespaces.get(name) ?? labelsOfNamespace(name);
}

/** Kinds whose objects make pods from a template, with its place. A ReplicaSet counts as its Deployment, and a Job as its CronJob. */
const TEMPLATES: Readonly<Record<string, (spec: Record<string, unknown>) => unknown>> = {
  'apps/Deployment': ({ template }) => template,
  'apps/StatefulSet': ({ template }) => template,
  'apps/DaemonSet': ({ template }) => template,
  'batch/Job': ({ template }) => template,
  'batch/CronJob': ({ jobTemplate }) => (jobTemplate as { spec?: { template?: unknown } } | undefined)?.spec?.template,
  'argoproj.io/Rollout': ({ template }) => template,
};

function podsOf(object: KubeObject): Pods | undefined {
  const group = object.apiVersion.split('/')[0] ?? '';
  const { namespace = '', ownerReferences = [] } = object.metadata;
  const template = TEMPLATES[`${group}/${object.kind}`]?.(specOf<Record<string, unknown>>(object)) as PodTemplate | undefined;
  if (template === undefined || ownerReferences.some(({ kind }) => kind === 'CronJob')) return undefined;
  const { replicas } = specOf<{ replicas: unknown }>(object);
  return { owner: refOf(object), namespace, labels: template.metadata?.labels ?? {}, ...(typeof replicas === 'number' && { replicas }) };
}

/** Pods that a selector selects: the sides, and other workloads in the same namespace. */
export interface Selected {
  target: boolean;
  primary: boolean;
  others: readonly Pods[];
}

/** Evaluates a selector over the pods of a namespace. An absent or empty selector selects all of them. */
export function selectedIn(world: LivingApplication, namespace: string, selector: LabelSelector | undefined): Selected {
  const holds = (pods: Pods) => pods.namespace === namespace && selects(selector ?? {}, pods.labels);
  return { target: holds(world.target), primary: holds(world.primary), others: world.others.filter(holds) };
}

/** The selector requires the primary's own value: it was written for the primary, and does not begin to select it by accident. */
export function namesPrimary(world: LivingApplication, { matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  const isOwn = (key: string, value: string) => world.primary.labels[key] === value && world.target.labels[key] !== value;
  return (
    Object.entries(matchLabels).some(([key, value]) => isOwn(key, value)) ||
    matchExpressions.some(({ key, operator, values = [] }) => operator === 'In' && values.some((value) => isOwn(key, value)))
  );
}

/** The label whose value differs on the primary, and both values. */
export function swappedLabel({ target, primary }: LivingApplication): { key: string; target: string; primary: string } | undefined {
  for (const [key, value] of Object.entries(target.labels)) {
    const other = primary.labels[key];
    if (other !== undefined && other !== value) return { key, target: value, primary: other };
  }
  return undefined;
}

/** A label that both sides have and no other workload of the namespace: a selector by it keeps working. */
export function sharedLabel(world: LivingApplication): string | undefined {
  const neighbours = world.others.filter(({ namespace }) => namespace === world.namespace);
  const found = Object.entries(world.target.labels).find(
    ([key, value]) => world.primary.labels[key] === value && neighbours.every(({ labels }) => labels[key] !== value),
  );
  return found?.join('=');
}

/** A label of the target that none of these pods has, as `key: value`. */
export function separatingLabel({ target }: LivingApplication, others: readonly Pods[]): string | undefined {
  const found = Object.entries(target.labels).find(([key, value]) => others.every(({ labels }) => labels[key] !== value));
  return found?.join(': ');
}
