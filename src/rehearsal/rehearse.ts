import type { Canary } from '../api/canary.ts';
import { endingOf } from '../api/ending.ts';
import type { ScalerSpec } from '../api/kinds/scaler.ts';
import { specOf } from '../api/kinds/spec-of.ts';
import { type KubeObject, refOf } from '../api/kube-object.ts';
import { names } from '../api/names.ts';
import { parseCanary } from '../api/parse-canary.ts';
import { every, sleep } from '../base/clock.ts';
import { type VirtualWorld, virtualWorld } from '../embedded/virtual/virtual-world.ts';
import type { ScenarioControls } from './apply-action.ts';
import { assumptionsOf, LAG_MS, SCRAPE_EVERY_MS, STARTUP_MS } from './assumptions.ts';
import { asksModel, measurable } from './checks.ts';
import { definitionsFor } from './definitions.ts';
import { withClass } from './edges.ts';
import { entryOf } from './entry.ts';
import { LoadTests } from './load-tests.ts';
import { applyManifests } from './manifests.ts';
import { ModelledApps } from './modelled-apps.ts';
import { PodQuota, quotaIn } from './quota.ts';
import { Recorder } from './recorder.ts';
import { type Rehearsal, type RehearsalInput, type RehearsalSample, withProvider } from './rehearsal.ts';
import { startRehearsalCluster } from './rehearsal-cluster.ts';
import { playRelease, targetOf } from './release.ts';
import { sealNetwork } from './seal.ts';
import { hooksByAddress, PROMETHEUS_HOST, startStandIns } from './stand-ins.ts';
import { suppliedFor } from './supplied.ts';
import { lessRequests, type Users, usersOf } from './users.ts';

const SECOND_MS = 1000;
const SAMPLE_EVERY_MS = 10_000;
/** Alerts and post-rollout webhooks follow the verdict. */
const AFTERMATH_MS = 10_000;
const NODES = { probeScale: 1, startupMs: STARTUP_MS, renewLeasesEveryMs: 3_600_000 };

/** Plays one release, from the manifests to its verdict, with the production controller in virtual time. */
export async function rehearse(input: RehearsalInput): Promise<Rehearsal> {
  const world = virtualWorld(input.seed);
  const unseal = sealNetwork();
  try {
    return await world.clock.play(() => rehearseIn(world, input));
  } finally {
    unseal();
  }
}

/** The manifests to apply: with objects that the model adds, and without objects that it cannot simulate. */
function prepared(input: RehearsalInput) {
  const raw = withProvider(input.canary, input.provider);
  const parsed = parseCanary(raw);
  if ('problems' in parsed) throw new Error('rehearsalProblem comes first');
  const { canary } = parsed;
  const { canary: measured, templates, notes } = measurable(raw, input.objects, input.assumed);
  const others = input.objects
    .filter((object) => object !== input.canary && !isBystander(object, canary))
    .map(withoutProxy)
    .map((object) => withClass(canary, object))
    .map(asksModel);
  const supplied = suppliedFor(canary, others);
  return { raw, canary, measured, notes, supplied, objects: [...others, ...supplied, ...templates, measured] };
}

async function rehearseIn(world: VirtualWorld, input: RehearsalInput): Promise<Rehearsal> {
  const { scenario, requestsPerSecond } = input;
  const { clock } = world;
  const { raw, canary, measured, notes, supplied, objects } = prepared(input);
  const { namespace } = canary.metadata;

  const recorder = new Recorder(refOf(measured), () => clock.monotonicMs());
  const apps = new ModelledApps(world);
  const quota = new PodQuota(namespace, quotaIn(objects, namespace));
  const lagMs: ScenarioControls['lagMs'] = [...LAG_MS];
  const crds = definitionsFor(canary.spec.provider, objects);
  const groups = new Set(crds.map(({ spec }) => spec.group));
  const simulated = await startRehearsalCluster(world, {
    crds,
    keda: groups.has('keda.sh'),
    scrapeIntervalMs: SCRAPE_EVERY_MS,
    mesh: { proxies: 3, lagMs, seed: input.seed, groups },
    nodes: { ...NODES, appFor: apps.behaviourOf, runApp: apps.run },
    hooks: {
      onWrite(write) {
        quota.see(write);
        recorder.write(write);
      },
      admit: (object) => quota.problemOf(object),
    },
  });
  const { cluster, mesh } = simulated.embedded;
  const notApplied = await applyManifests(cluster, objects);
  const entry = entryOf(canary, objects);
  const users = usersOf(world, { mesh, apps, entry, perSecond: requestsPerSecond });
  const loads = new LoadTests(world, { mesh, apps, entry });
  // One timer for both: each turn of virtual time costs more than a second without requests.
  const stopTraffic = every(clock, SECOND_MS, () => {
    users.askForSecond();
    loads.askForSecond();
  });
  const { samples, stop: stopSampling } = startSampling(world, users, apps);
  const state: ScenarioControls['state'] = { isPrometheusUp: true, webhooks: undefined };
  const standIns = await standInsFor(world, raw, canary, {
    recorder,
    users,
    loads,
    state,
    prometheusPort: Number(new URL(simulated.prometheus.url).port),
  });
  let log = '';
  const hear = (text: string) => {
    log += text;
  };
  const start = () => input.startController(world, flagsFor(input.provider), hear, simulated.embedded.apiUrl);
  let controller = start();
  const { kind, apiVersion } = targetOf(canary);
  const controls: ScenarioControls = {
    ...{ clock, cluster, apps, users, quota, lagMs, state },
    sides: [names(canary).target, names(canary).primary].map((name) => ({ apiVersion, kind, name, namespace })),
    controller: {
      kill: () => controller.stop('KILL'),
      start() {
        controller = start();
      },
    },
  };

  const release = await playRelease(controls, recorder, canary, scenario);
  await sleep(clock, AFTERMATH_MS);
  stopSampling();
  stopTraffic();
  await controller.stop();
  await standIns.stop();
  await simulated.stop();

  const assumptions = assumptionsOf(input, entry, { moments: recorder.moments, supplied, scenario, loads: loads.unmodelled });
  const { name } = canary.metadata;
  const about = { canary: { namespace, name }, scenario, checkNotes: notes, assumptions, supplied, notApplied, log };
  return { ...about, ...resultOf(release, recorder, apps.peak, samples) };
}

type Timed = Awaited<ReturnType<typeof playRelease>>;

/** Times count from the start of the release, in whole milliseconds. */
function resultOf(
  { outcome, startMs, endMs, requests }: Timed,
  { status, moments }: Recorder,
  peakPods: number,
  samples: RehearsalSample[],
) {
  const { phase = '', conditions, release } = status ?? {};
  const sinceStart = <T extends { atMs: number }>(one: T): T => ({ ...one, atMs: Math.round(one.atMs - startMs) });
  return {
    outcome,
    phase,
    message: conditions?.find(({ message }) => message)?.message ?? '',
    ending: release && endingOf(phase, release),
    tookMs: Math.round(endMs - startMs),
    requests,
    peakPods,
    moments: moments.map(sinceStart),
    samples: samples.map(sinceStart),
  };
}

interface StandInDeps {
  recorder: Recorder;
  users: Users;
  loads: LoadTests;
  state: ScenarioControls['state'];
  prometheusPort: number;
}

/** Answers webhooks, alerts and queries of the metrics server. */
function standInsFor(world: VirtualWorld, raw: KubeObject, canary: Canary, { recorder, users, loads, state, prometheusPort }: StandInDeps) {
  const ownHosts = new Set(hostsOf(canary));
  return startStandIns(
    world,
    {
      hooks: hooksByAddress(raw),
      statusFor: (types) =>
        types.some((type) => state.webhooks?.types?.includes(type) ?? state.webhooks !== undefined) ? state.webhooks?.status : undefined,
      askCluster: (host) => (ownHosts.has(host.split('.').slice(0, 2).join('.')) ? users.ask(host) : undefined),
      onCall(received) {
        recorder.call(received);
        if (received.hooks.length > 0 && received.status < 300) loads.begin(received.body);
      },
    },
    { port: prometheusPort, isUp: () => state.isPrometheusUp },
  );
}

function startSampling({ clock }: VirtualWorld, users: Users, apps: ModelledApps): { samples: RehearsalSample[]; stop(): void } {
  const samples: RehearsalSample[] = [];
  let before = users.counts();
  const stop = every(clock, SAMPLE_EVERY_MS, async () => {
    const now = users.counts();
    const pods = { old: apps.count('old'), new: apps.count('new') };
    samples.push({ atMs: clock.monotonicMs(), requests: lessRequests(now, before), pods });
    before = now;
  });
  return { samples, stop };
}

/** Other Canaries and workloads would only cost time, and their pods would be counted. */
function isBystander(object: KubeObject, { spec: { targetRef } }: Canary): boolean {
  const { kind, metadata } = object;
  if (['HorizontalPodAutoscaler', 'ScaledObject'].includes(kind)) return specOf<ScalerSpec>(object).scaleTargetRef?.name !== targetRef.name;
  if (['Deployment', 'DaemonSet'].includes(kind)) return kind !== targetRef.kind || metadata.name !== targetRef.name;
  return ['Canary', 'StatefulSet', 'Job', 'CronJob', 'ReplicaSet', 'Pod'].includes(kind);
}

/** A proxy would be a different host. */
function withoutProxy(object: KubeObject): KubeObject {
  const { proxy, ...spec } = specOf<{ proxy: unknown }>(object);
  return object.kind !== 'AlertProvider' || proxy === undefined ? object : { ...object, spec };
}

function flagsFor(provider: string | undefined): string[] {
  return [
    `--metrics-server=http://${PROMETHEUS_HOST}`,
    ...(provider === undefined ? [] : [`--mesh-provider=${provider}`]),
    '--port=0',
    '--log-level=info',
    // All addresses belong to this process.
    ...['--allowed-addresses=0.0.0.0/0,::/0', '--allowed-local-addresses=0.0.0.0/0,::/0'],
  ];
}

function hostsOf(canary: Canary): string[] {
  const { apexService, primaryService, canaryService } = names(canary);
  return [apexService, primaryService, canaryService].map((service) => `${service}.${canary.metadata.namespace}`);
}
