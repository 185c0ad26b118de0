import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { Cluster, WatchHandle } from '../../../src/kube/cluster.ts';
import { type Raw, raw } from '../../fakes/raw.ts';
import { providerFixtures } from '../../scenarios/providers/index.ts';
import type { Journal } from './journal.ts';
import { type Fact, NAMESPACES, neutral, SIDES, type Side } from './recording.ts';

/** Routes of every provider, by the kinds of its fixture, and what every Canary has. */
const ROUTES = providerFixtures
  .map(({ route }) => route({ name: '', namespace: '' }))
  .map(({ apiVersion, kind }) => ({ apiVersion, kind }));
const OBJECTS = [
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
  { apiVersion: 'networking.istio.io/v1beta1', kind: 'DestinationRule' },
  ...ROUTES,
].filter(({ kind }, index, all) => all.findIndex((each) => each.kind === kind) === index);
/** Kinds with a version on each side, of which one version is enough: they are the same objects. */
const WORKLOADS = ['Deployment', 'DaemonSet'];

export interface Recorder {
  readonly synced: Promise<unknown>;
  stop(): void;
}

/** Records what both sides do to objects, as watches report it. */
export function startRecorder(cluster: Cluster, journal: Journal): Recorder {
  const watches: WatchHandle[] = [];
  const last = new Map<string, string>();
  const watch = (kind: { apiVersion: string; kind: string }, look: (object: KubeObject, isGone: boolean) => Fact | undefined) => {
    const record = (object: KubeObject, isGone: boolean) => {
      const side = sideOf(object);
      const scenario = journal.scenarioOf(involvedName(object));
      if (side === undefined || scenario === undefined) return;
      const fact = look(object, isGone);
      const key = `${look.name} ${kind.kind} ${object.metadata.namespace}/${object.metadata.name}`;
      // Most changes are of no interest here.
      if (fact === undefined || last.get(key) === JSON.stringify(fact)) return;
      last.set(key, JSON.stringify(fact));
      journal.add(side, scenario, fact);
    };
    watches.push(
      cluster.watch(kind, {
        onEvent: ({ type, object }) => record(object, type === 'DELETED'),
        onList: (items) => items.map((item) => record(item, false)),
      }),
    );
  };

  watch({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary' }, statusFact);
  watch({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary' }, listedFact);
  for (const kind of WORKLOADS) watch({ apiVersion: 'apps/v1', kind }, (object) => podsFact(object));
  for (const kind of OBJECTS) watch(kind, (object, isGone) => objectFact(kind.kind, object, isGone));
  watch({ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' }, endpointsFact);
  watch({ apiVersion: 'v1', kind: 'Event' }, eventFact);
  return {
    synced: Promise.all(watches.map(({ synced }) => synced)),
    stop() {
      for (const each of watches) each.stop();
    },
  };
}

const sideOf = ({ metadata }: KubeObject): Side | undefined => SIDES.find((side) => NAMESPACES[side] === metadata.namespace);
const involvedName = (object: KubeObject): string => (object.kind === 'Event' ? raw(object).involvedObject.name : object.metadata.name);

function statusFact({ status = {} }: Raw, isGone: boolean): Fact | undefined {
  if (isGone || status.phase === undefined || status.phase === '') return undefined;
  const { phase, canaryWeight = 0, iterations = 0, failedChecks = 0 } = status;
  return { kind: 'status', phase, weight: canaryWeight, iterations, failedChecks };
}

/** The newest one: each is listed in a status of its own. */
function listedFact({ status }: Raw): Fact | undefined {
  const { message, alert } =
    ((status?.release?.deliveries ?? []) as { message: string; alert?: { reason: string } }[]).findLast(({ alert }) => alert) ?? {};
  return message === undefined || alert === undefined ? undefined : { kind: 'listed', message: neutral(message), reason: alert.reason };
}

function podsFact({ kind, metadata, spec, status = {} }: Raw): Fact {
  const isDaemonSet = kind === 'DaemonSet';
  return {
    kind: 'pods',
    role: metadata.name.endsWith('-primary') ? 'primary' : 'canary',
    desired: (isDaemonSet ? status.desiredNumberScheduled : spec.replicas) ?? 0,
    available: (isDaemonSet ? status.numberAvailable : status.availableReplicas) ?? 0,
    isCurrent:
      status.observedGeneration === metadata.generation &&
      (isDaemonSet ? status.updatedNumberScheduled : status.updatedReplicas) ===
        (isDaemonSet ? status.desiredNumberScheduled : spec.replicas),
    template: String(spec.template.spec.containers[0]?.image),
  };
}

function endpointsFact({ metadata, endpoints }: KubeObject): Fact {
  const ready = ((endpoints ?? []) as { conditions?: { ready?: boolean } }[]).filter(({ conditions }) => conditions?.ready !== false);
  return { kind: 'endpoints', service: metadata.labels?.['kubernetes.io/service-name'] ?? '', ready: ready.length };
}

/** Alerts of Serin; Flagger's alerts come by its event webhook. */
function eventFact({ metadata, involvedObject, type, reason, message }: Raw, isGone: boolean): Fact | undefined {
  if (isGone || involvedObject.kind !== 'Canary' || metadata.namespace !== NAMESPACES.serin) return undefined;
  return { kind: 'event', type, reason, message: neutral(String(message)) };
}

/** Annotations by which proxies route. */
const ROUTING_ANNOTATIONS = ['nginx.ingress.kubernetes.io/', 'zalando.org/', 'split.smi-spec.io/'];

function objectFact(kind: string, object: KubeObject, isGone: boolean): Fact {
  const name = `${kind}/${object.metadata.name}`;
  if (isGone) return { kind: 'object', object: name, content: undefined };
  const annotations = Object.entries(object.metadata.annotations ?? {}).filter(([key]) =>
    ROUTING_ANNOTATIONS.some((start) => key.startsWith(start)),
  );
  const content = { spec: kind === 'Service' ? serviceSpec(object.spec) : object.spec, annotations: Object.fromEntries(annotations) };
  return { kind: 'object', object: name, content: JSON.parse(neutral(JSON.stringify(content))) };
}

/** A Service's spec without the fields that the API server allocates. */
function serviceSpec({ clusterIP, clusterIPs: _ips, ports = [], ...spec }: Raw): object {
  return {
    ...spec,
    ...(clusterIP === 'None' ? { clusterIP } : {}),
    ports: (ports as { nodePort?: number }[]).map(({ nodePort: _, ...port }) => port),
  };
}
