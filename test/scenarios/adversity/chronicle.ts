import type { KubeObject } from '../../../src/api/kube-object.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import { type App, imageTag } from './app.ts';
import type { Lab } from './lab.ts';

/** One state of one object, as a watch brought it. */
export interface Moment {
  /** The cluster's one order of writes. */
  version: number;
  kind: string;
  name: string;
  object: KubeObject;
}

export interface Chronicle {
  /** Every state so far, in the order of the writes. */
  moments(): Moment[];
  stop(): void;
}

/** Kinds that a release changes. */
export const CHANGING = [
  ['flagger.app/v1beta1', 'Canary'],
  ['apps/v1', 'Deployment'],
  ['networking.istio.io/v1beta1', 'VirtualService'],
  ['v1', 'Service'],
] as const;

/** Writes down each state of what a release touches, or of objects of other kinds. */
export async function keepChronicle(
  lab: Lab,
  kinds: readonly (readonly [apiVersion: string, kind: string])[] = CHANGING,
): Promise<Chronicle> {
  const seen = new Map<number, Moment>();
  const note = (kind: string, object: KubeObject): void => {
    const version = Number(object.metadata.resourceVersion);
    seen.set(version, { version, kind, name: object.metadata.name, object });
  };
  const watches = kinds.map(([apiVersion, kind]) =>
    lab.cluster.watch(
      { apiVersion, kind, namespace: lab.namespace },
      {
        onEvent: ({ type, object }) => type !== 'DELETED' && note(kind, object),
        onList: (items) => {
          for (const item of items) note(kind, item);
        },
      },
    ),
  );
  await Promise.all(watches.map(({ synced }) => synced));
  return {
    moments: () => [...seen.values()].toSorted((a, b) => a.version - b.version),
    stop() {
      for (const watch of watches) watch.stop();
    },
  };
}

interface ClusterSnapshot {
  phase: string;
  canaryWeight: number | undefined;
  targetReady: number;
  primaryReady: number;
  targetReplicas: number | undefined;
  primaryVersion: string | undefined;
}

/** Violations of I1, I2, I3 or I5 in this history, in words; `good` are the versions that can be promoted. */
export function violationsIn(moments: readonly Moment[], { name }: Pick<App, 'name'>, good: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const now: ClusterSnapshot = {
    phase: '',
    canaryWeight: undefined,
    targetReady: 0,
    primaryReady: 0,
    targetReplicas: undefined,
    primaryVersion: undefined,
  };
  for (const { version, kind, name: objectName, object } of moments) {
    const say = (what: string) => found.push(`at ${version} (${now.phase}): ${what}`);
    if (kind === 'Canary' && objectName === name) now.phase = raw(object).status?.phase ?? '';
    else if (kind === 'Deployment' && objectName === `${name}-primary`) lookAtPrimary(object, now, good, say);
    else if (kind === 'Deployment' && objectName === name) lookAtTarget(object, now, say);
    else if (kind === 'Ingress' && objectName === `${name}-canary`) lookAtWeights(weightsOfIngress(object), now, say);
    else if (ROUTES[kind] && objectName === name) lookAtRoute(ROUTES[kind](raw(object).spec), name, now, say);
  }
  return found;
}

function lookAtPrimary(object: KubeObject, now: ClusterSnapshot, good: ReadonlySet<string>, say: (what: string) => void): void {
  const version = imageTag(object);
  if (version !== now.primaryVersion && now.primaryVersion !== undefined) {
    if (!good.has(version)) say(`I3: the primary got version ${version}, which was never to be promoted`);
    if (now.phase !== 'Promoting') say(`I3: the primary's template changed to version ${version} outside of a promotion`);
  }
  if (raw(object).spec.replicas === 0 && (now.canaryWeight ?? 0) < 100) say('I5: the primary was scaled to zero under traffic');
  now.primaryVersion = version;
  now.primaryReady = raw(object).status?.availableReplicas ?? 0;
}

function lookAtTarget(object: KubeObject, now: ClusterSnapshot, say: (what: string) => void): void {
  const { replicas } = raw(object).spec;
  if (replicas === 0 && now.targetReplicas !== 0 && (now.canaryWeight ?? 0) > 0)
    say(`I5: the canary was scaled to zero at weight ${now.canaryWeight}`);
  now.targetReplicas = replicas;
  now.targetReady = raw(object).status?.availableReplicas ?? 0;
}

interface RoutedSide {
  service: string;
  weight: number | undefined;
}
/** The Services of each rule of a route, by the kind of the route. */
const ROUTES: Readonly<Record<string, (spec: Raw) => RoutedSide[][]>> = {
  VirtualService: ({ http = [] }) =>
    http.map(({ route }: { route: { destination: { host: string }; weight?: number }[] }) =>
      route.map(({ destination, weight }) => ({ service: destination.host.split('.')[0], weight })),
    ),
  HTTPProxy: ({ routes = [] }) => routes.map(({ services = [] }: { services?: NamedSide[] }) => named(services)),
  // The API server writes a weight of 1 for the only backend of a rule.
  HTTPRoute: ({ rules = [] }) =>
    rules.map(({ backendRefs: refs = [] }: { backendRefs?: NamedSide[] }) =>
      named(refs.length === 1 ? refs.map(({ name }) => ({ name })) : refs),
    ),
};
type NamedSide = { name: string; weight?: number };
const named = (sides: readonly NamedSide[]): RoutedSide[] => sides.map(({ name, weight }) => ({ service: name, weight }));

function lookAtRoute(rules: readonly RoutedSide[][], name: string, now: ClusterSnapshot, say: (what: string) => void): void {
  for (const route of rules) {
    const weights = route.map(({ weight }) => weight ?? (route.length === 1 ? 100 : 0));
    const sum = weights.reduce((total, weight) => total + weight, 0);
    if (sum !== 100 || weights.some((weight) => !Number.isInteger(weight) || weight < 0)) say(`I1: weights are ${weights.join(', ')}`);
    const of = (side: string) => weights[route.findIndex(({ service }) => service === side)] ?? 0;
    const canary = of(`${name}-canary`);
    const primary = of(`${name}-primary`);
    lookAtWeights({ canary, primary }, now, say);
  }
}

/** The canary Ingress of ingress-nginx holds the canary's part of 100. */
function weightsOfIngress({ metadata }: KubeObject): { canary: number; primary: number } {
  const canary = Number(metadata.annotations?.['nginx.ingress.kubernetes.io/canary-weight'] ?? 0);
  return { canary, primary: 100 - canary };
}

function lookAtWeights({ canary, primary }: { canary: number; primary: number }, now: ClusterSnapshot, say: (what: string) => void): void {
  const isRise = canary > (now.canaryWeight ?? 0);
  const isChange = canary !== now.canaryWeight;
  if (isRise && now.targetReady === 0) say(`I2: the canary's weight rose to ${canary} without a pod that serves`);
  if (isChange && canary > 0 && now.targetReady === 0 && now.primaryReady > 0) say(`I5: ${canary}% to a canary that cannot serve`);
  if (isChange && primary > 0 && now.primaryReady === 0 && now.targetReady > 0) say(`I5: ${primary}% to a primary that cannot serve`);
  now.canaryWeight = canary;
}
