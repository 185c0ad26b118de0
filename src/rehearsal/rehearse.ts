import type { Canary, HookType } from '../api/canary.ts';
import { sleep } from '../api/clock.ts';
import { crds } from '../api/crds.ts';
import { parseDuration } from '../api/duration.ts';
import { type KubeObject, refOf } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import { parseCanary } from '../api/parse-canary.ts';
import { knativeCrds, routingCrds } from '../embedded/routing-crds.ts';
import { type VirtualWorld, virtualWorld } from '../embedded/virtual/virtual-world.ts';
import type { KubeCluster } from '../kube/kube-cluster.ts';
import { asksModel, type CheckNote, measurable } from './checks.ts';
import { type Entry, entryOf } from './entry.ts';
import { applyManifests, type NotApplied } from './manifests.ts';
import { behaviourBy, CANDIDATE_ANNOTATION, ModelledApps, type VersionModel } from './modelled-apps.ts';
import { type Moment, Recorder } from './recorder.ts';
import type { Scenario } from './scenarios.ts';
import { sealNetwork } from './seal.ts';
import { startStage } from './stage.ts';
import { hooksByAddress, PROMETHEUS_HOST, startStandIns } from './stand-ins.ts';
import { suppliedFor } from './supplied.ts';
import { startUsers, type UserCounts } from './users.ts';

export interface RehearsalInput {
  objects: readonly KubeObject[];
  /** One of `objects`, with its namespace. */
  canary: KubeObject;
  scenario: Scenario;
  seed: number;
  requestsPerSecond: number;
  /** Values of checks, by the name of the metric or of its template. */
  assumed: ReadonlyMap<string, number>;
  /** Of Canaries that name none. */
  provider?: string;
  /** The controller's own command, in virtual time. */
  startController: StartController;
}

export type StartController = (
  world: VirtualWorld,
  args: readonly string[],
  log: (text: string) => void,
  apiUrl: string,
) => { stop(): Promise<void> };

/** `notStarted`: Serin did not begin; the last condition says why. */
export type Outcome = 'promoted' | 'rolledBack' | 'unfinished' | 'notStarted';

export interface Rehearsal {
  canary: { namespace: string; name: string };
  scenario: Scenario;
  outcome: Outcome;
  /** Phase and condition at the end. */
  phase: string;
  message: string;
  /** From the push of the new version to the end. */
  tookMs: number;
  /** Of users, from the push to the end. */
  users: UserCounts;
  peakPods: number;
  /** When the new version was pushed: `atMs` of moments is counted from there. */
  moments: readonly Moment[];
  checkNotes: readonly CheckNote[];
  /** Made up, since the manifests lack them. */
  supplied: readonly KubeObject[];
  notApplied: readonly NotApplied[];
  /** Lines of the controller's log. */
  log: string;
}

const STABLE: VersionModel = { errorRate: 0, latencyMs: 50, readyAfterMs: 5_000, crashes: false, neverReady: false };
const SCRAPE_EVERY_MS = 15_000;
/** Routes of real meshes reach their proxies so late. */
const LAG_MS = [100, 2_000] as const;
const SETTLE_MS = 60_000;
/** Alerts and post-rollout webhooks follow the verdict. */
const AFTERMATH_MS = 10_000;
const NODES = { probeScale: 1, startupMs: 2_000, renewLeasesEveryMs: 3_600_000 };
const MINUTE_MS = 60_000;
/** Providers whose routes the embedded mesh does not honour. */
const UNROUTED = ['appmesh', 'appmesh:v1beta2', 'kuma'];

/** Why a Canary cannot be rehearsed; undefined: it can. */
export function rehearsalProblem(canary: KubeObject, provider?: string): string | undefined {
  const parsed = parseCanary(withProvider(canary, provider));
  if ('problems' in parsed) return parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const { spec } = parsed.canary;
  if (UNROUTED.includes(spec.provider ?? '')) return `spec.provider: routes of ${spec.provider} are not modelled`;
  if (spec.targetRef.kind === 'Service') return 'spec.targetRef.kind: releases of a Service are not modelled';
  return spec.suspend ? 'spec.suspend: a suspended Canary releases nothing' : undefined;
}

/** One release, from the first look at the manifests to its verdict, by the production controller in virtual time. */
export async function rehearse(input: RehearsalInput): Promise<Rehearsal> {
  const world = virtualWorld(input.seed);
  const unseal = sealNetwork();
  try {
    return await world.clock.play(() => rehearseIn(world, input));
  } finally {
    unseal();
  }
}

async function rehearseIn(world: VirtualWorld, input: RehearsalInput): Promise<Rehearsal> {
  const { scenario, requestsPerSecond } = input;
  const { clock } = world;
  const raw = withProvider(input.canary, input.provider);
  const parsed = parseCanary(raw);
  if ('problems' in parsed) throw new Error('rehearsalProblem comes first');
  const { canary } = parsed;
  const { canary: measured, templates, notes } = measurable(raw, input.objects, input.assumed);
  const others = input.objects
    .filter((object) => object !== input.canary && object.kind !== 'Canary')
    .map(withoutProxy)
    .map(asksModel);
  const supplied = suppliedFor(canary, others);
  const objects = [...others, ...supplied, ...templates, measured];

  let startedMs = 0;
  const recorder = new Recorder(refOf(measured), () => clock.monotonicMs());
  const apps = new ModelledApps(world);
  const stable = STABLE;
  const stage = await startStage(world, {
    crds: [...crds(), ...routingCrds(), ...knativeCrds()],
    scrapeIntervalMs: SCRAPE_EVERY_MS,
    mesh: { proxies: 3, lagMs: LAG_MS, seed: input.seed },
    nodes: { ...NODES, appFor: behaviourBy({ stable, candidate: { ...stable, ...scenario.candidate } }), runApp: apps.run },
    onWrite: (write) => recorder.write(write),
  });
  const { cluster, mesh } = stage.embedded;
  const notApplied = await applyManifests(cluster, objects);
  const entry: Entry = entryOf(canary, objects);
  const users = startUsers(world, { mesh, apps, entry, perSecond: requestsPerSecond });
  const isAfterPush = () => startedMs > 0;
  const ownHosts = new Set(Object.values(hostsOf(canary)));
  const standIns = await startStandIns(
    world,
    {
      hooks: hooksByAddress(raw),
      statusFor: (types) => faultOf(types, isAfterPush() ? scenario : undefined),
      askCluster: (host) => (ownHosts.has(host.split('.').slice(0, 2).join('.')) ? users.ask(host) : undefined),
      onCall: (received) => recorder.call(received),
    },
    { port: Number(new URL(stage.prometheus.url).port), isUp: () => scenario.isPrometheusUp || !isAfterPush() },
  );
  let log = '';
  const controller = input.startController(
    world,
    flagsFor(input.provider),
    (text) => {
      log += text;
    },
    stage.embedded.apiUrl,
  );

  const ended = async (isSo: Parameters<Recorder['until']>[0], limitMs: number): Promise<boolean> => {
    const giveUp = new AbortController();
    const limit = sleep(clock, limitMs, giveUp.signal).then(
      () => false,
      () => true,
    );
    const isDone = await Promise.race([recorder.until(isSo).then(() => true), limit]);
    giveUp.abort();
    return isDone;
  };
  const deadlineMs = (canary.spec.progressDeadlineSeconds ?? 600) * 1000;
  const isResting = await ended(({ phase, release }) => phase === 'Initialized' && release?.step === 'resting', deadlineMs + 5 * MINUTE_MS);
  let outcome: Outcome = 'notStarted';
  let before = users.counts();
  if (isResting) {
    await sleep(clock, SETTLE_MS);
    before = users.counts();
    startedMs = clock.monotonicMs();
    if (!scenario.hasTraffic) users.stop();
    recorder.fault(scenario.says);
    const run = recorder.status?.release?.run ?? 0;
    await push(cluster, canary);
    const hasEnded = await ended(
      ({ phase, release }) => (phase === 'Succeeded' || phase === 'Failed') && release?.step === 'resting' && release.run > run,
      limitOf(canary),
    );
    outcome = hasEnded ? (recorder.status?.phase === 'Succeeded' ? 'promoted' : 'rolledBack') : 'unfinished';
  }
  const endedMs = clock.monotonicMs();
  const after = users.counts();
  await sleep(clock, AFTERMATH_MS);
  users.stop();
  await controller.stop();
  await standIns.stop();
  await stage.stop();

  const { phase = '', conditions } = recorder.status ?? {};
  return {
    canary: { namespace: canary.metadata.namespace, name: canary.metadata.name },
    scenario,
    outcome,
    phase,
    message: conditions?.find(({ message }) => message)?.message ?? '',
    tookMs: endedMs - (startedMs || endedMs),
    users: less(after, before),
    peakPods: apps.peak,
    moments: recorder.moments.map((moment) => ({ ...moment, atMs: Math.round(moment.atMs - startedMs) })),
    checkNotes: notes,
    supplied,
    notApplied,
    log,
  };
}

function withProvider(canary: KubeObject, provider: string | undefined): KubeObject {
  return canary.spec?.provider || provider === undefined ? canary : { ...canary, spec: { ...canary.spec, provider } };
}

/** A proxy would be another machine. */
function withoutProxy(object: KubeObject): KubeObject {
  if (object.kind !== 'AlertProvider' || object.spec?.proxy === undefined) return object;
  const { proxy: _, ...spec } = object.spec;
  return { ...object, spec };
}

function flagsFor(provider: string | undefined): string[] {
  return [
    `--metrics-server=http://${PROMETHEUS_HOST}`,
    ...(provider === undefined ? [] : [`--mesh-provider=${provider}`]),
    '--port=0',
    '--log-level=info',
    // Every address is one of this process.
    '--allowed-addresses=0.0.0.0/0,::/0',
  ];
}

const hostsOf = (canary: Canary): Record<string, string> =>
  Object.fromEntries(
    [names(canary).apexService, names(canary).primaryService, names(canary).canaryService].map((service) => [
      service,
      `${service}.${canary.metadata.namespace}`,
    ]),
  );

function faultOf(types: readonly HookType[], scenario: Scenario | undefined): number | undefined {
  const { hooks } = scenario ?? {};
  return hooks && types.some((type) => hooks.types.includes(type)) ? hooks.status : undefined;
}

/** The template differs by an annotation, so that pods of the new version are known. */
async function push(cluster: KubeCluster, { spec: { targetRef }, metadata: { namespace } }: Canary): Promise<void> {
  const { apiVersion, kind, name } = targetRef;
  const annotations = { [CANDIDATE_ANNOTATION]: 'candidate' };
  await cluster.patch({ apiVersion, kind, name, namespace }, { spec: { template: { metadata: { annotations } } } });
}

/** Three times what the analysis takes at the least, and the deadline. */
function limitOf({ spec: { analysis, progressDeadlineSeconds = 600 } }: Canary): number {
  const intervalMs = parseDuration(analysis.interval) ?? MINUTE_MS;
  const steps = analysis.stepWeights?.length ?? Math.ceil((analysis.maxWeight ?? 100) / (analysis.stepWeight || 100));
  const back = analysis.stepWeightPromotion ? Math.ceil(100 / analysis.stepWeightPromotion) : 0;
  const ticks = steps + back + (analysis.iterations ?? 0) + analysis.threshold + 3;
  return 3 * ticks * intervalMs + progressDeadlineSeconds * 1000 + 10 * MINUTE_MS;
}

const less = (after: UserCounts, before: UserCounts): UserCounts => ({
  sent: after.sent - before.sent,
  failed: after.failed - before.failed,
  exposed: after.exposed - before.exposed,
  failedByCandidate: after.failedByCandidate - before.failedByCandidate,
});
