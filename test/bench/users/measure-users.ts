import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FLAGGER_VERSION } from '../../../scripts/e2e-flagger.ts';
import { seededRandom } from '../../../src/embedded/mesh/random.ts';
import type { Raw } from '../../fakes/raw.ts';
import { nameOf } from '../applications.ts';
import { STEPS } from '../at-once/at-once-applications.ts';
import { startPlaneWithPods } from '../at-once/control-plane.ts';
import { startFakePrometheus } from '../at-once/fake-prometheus.ts';
import { type FaultProxy, startFaultProxy } from '../at-once/fault-proxy.ts';
import { createTargets, initializeAll, killLeader, type Run, release, startStandby } from '../at-once/phases.ts';
import { ReleaseLog } from '../at-once/release-log.ts';
import { flaggerSubject, RunningSubject, type Subject, serin, tokenOf } from '../at-once/subjects.ts';
import { listed } from '../figures.ts';
import { REQUESTS_A_SECOND, startClients } from './clients.ts';
import { DISTURBANCES, killAfterMs } from './faults.ts';
import type { RecordedUsers, Strategy, UsersFault, UsersRound, UsersSetting } from './recorded-users.ts';
import { chooseStrategy } from './strategies.ts';

export interface UsersOptions {
  /** Releases at once. */
  sizes: readonly number[];
  strategies: readonly Strategy[];
  faults: readonly UsersFault[];
  /** Times that each cell is played. */
  rounds: number;
  /** Both controllers at the same time on one control plane, or one after the other. */
  together: boolean;
  seed: number;
  say(line: string): void;
  /** Called with each group of rounds that is over. */
  keep(rounds: readonly UsersRound[], setting: UsersSetting): void;
}

type Plane = Awaited<ReturnType<typeof startPlaneWithPods>>;
interface UsersRun extends Run {
  plane: Plane;
  proxy: FaultProxy;
  strategy?: Strategy;
  standby?: RunningSubject;
  stop(): Promise<void>;
}
interface Cell {
  strategy: Strategy;
  fault: UsersFault;
  atOnce: number;
  killedAfterMs: number;
}

/** Every request that reaches it is answered with 500. */
const BAD = [{ name: 'ERROR_RATE', value: '1' }];
const WITHIN_MS = 300_000;
const READY_WITHIN_MS = 60_000;
/** Users send requests before the push and after the end: errors of a promoted version show then. */
const BEFORE_MS = 3_000;
const AFTERWARDS_MS = 5_000;
/** Longer than a controller's interval: routes of the edited strategy are in place. */
const EDITED_MS = 20_000;
const SCALED_DOWN_WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 1_000;
const BUNDLE = join(import.meta.dirname, '..', '..', '..', 'dist', 'serin.js');

/** Bad releases at once under each strategy and fault, with users who send requests through the data plane meanwhile. */
export async function measureUsers(options: UsersOptions): Promise<RecordedUsers> {
  const { sizes, together, say } = options;
  const subjects = [serin, await flaggerSubject(say)];
  const rounds: UsersRound[] = [];
  let setting: UsersSetting | undefined;
  for (const size of sizes) {
    for (const group of together ? [subjects] : subjects.map((subject) => [subject])) {
      say(`${size} applications of ${group.map(({ name }) => name).join(' and ')}`);
      const plane = await startPlaneWithPods(say);
      try {
        setting ??= await settingOf(plane);
        await playAll({ plane, group, size, setting, rounds }, options);
      } finally {
        await plane.stop();
      }
    }
  }
  if (setting === undefined) throw new Error('no size was given');
  return { setting, rounds };
}

interface Group {
  plane: Plane;
  group: readonly Subject[];
  size: number;
  setting: UsersSetting;
  rounds: UsersRound[];
}

async function playAll({ plane, group, size, setting, rounds }: Group, options: UsersOptions): Promise<void> {
  const { say } = options;
  const random = seededRandom(options.seed);
  let runs = await Promise.all(group.map((subject) => begin(plane, subject, size, say)));
  try {
    for (const strategy of options.strategies)
      for (const fault of options.faults)
        for (let round = 0; round < options.rounds; round += 1) {
          const cell = { strategy, fault, atOnce: size, killedAfterMs: killAfterMs(random()) };
          await Promise.all(runs.map((run) => prepare(run, cell)));
          const played = await Promise.all(runs.map((run) => play(run, cell)));
          for (const one of played) say(summary(one));
          rounds.push(...played);
          options.keep(played, setting);
          // The errors of a promoted version would be counted in the next round.
          const stopped = runs.filter((_, index) => played[index]?.ends.Failed !== size);
          for (const run of stopped) run.say(`stopped: not each release was rolled back\n${run.running.logTail()}`);
          await Promise.all(stopped.map((run) => run.stop()));
          runs = runs.filter((run) => !stopped.includes(run));
          await Promise.all(runs.map(scaledDown));
        }
  } finally {
    await Promise.all(runs.map((run) => run.stop()));
  }
}

/** All Canaries are initialized. */
async function begin(plane: Plane, subject: Subject, size: number, tell: (line: string) => void): Promise<UsersRun> {
  const say = (line: string) => tell(`${subject.name}, ${size}: ${line}`);
  const prometheus = await startFakePrometheus();
  const proxy = await startFaultProxy(plane.apiUrl, tokenOf(plane, subject.name));
  const log = new ReleaseLog(plane.cluster, subject.namespace);
  const place = { plane, subject, prometheus, prometheusUrl: prometheus.url, apiUrl: proxy.url, size, steps: STEPS };
  const waiting = { ...place, boundMs: WITHIN_MS, versions: 0, say };
  await createTargets(waiting);
  const run: UsersRun = {
    ...waiting,
    log,
    proxy,
    running: await RunningSubject.start(subject, place),
    async stop() {
      await run.running.stop();
      log.stop();
      await proxy.stop();
      await prometheus.stop();
    },
  };
  if ((await run.running.ready(READY_WITHIN_MS)) === undefined) throw new Error(`${subject.name} was not ready\n${run.running.logTail()}`);
  const { reached } = await initializeAll(run);
  say(`${reached} are initialized`);
  if (reached < size) throw new Error(`${subject.name}: ${reached} of ${size} were initialized\n${run.running.logTail()}`);
  await scaledDown(run);
  return run;
}

/** Waits until no target has a pod. */
async function scaledDown({ plane, subject, say }: UsersRun): Promise<void> {
  const endMs = Date.now() + SCALED_DOWN_WITHIN_MS;
  const isUp = ({ metadata, spec, status }: Raw) =>
    !metadata.name.endsWith('-primary') && (spec.replicas !== 0 || (status?.replicas ?? 0) > 0);
  const targets = async () =>
    (await plane.cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: subject.namespace })).items.filter(isUp).length;
  while ((await targets()) > 0) {
    if (Date.now() > endMs) return say(`${await targets()} targets still have pods`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function prepare(run: UsersRun, { strategy, fault }: Cell): Promise<void> {
  if (run.strategy !== strategy) {
    await chooseStrategy(run.plane.cluster, run.subject.namespace, run.size, strategy);
    run.strategy = strategy;
    await sleep(EDITED_MS);
  }
  if (fault === 'leader killed') run.standby = await startStandby(run);
}

async function play(run: UsersRun, { strategy, fault, atOnce, killedAfterMs }: Cell): Promise<UsersRound> {
  const { namespace, name: controller } = run.subject;
  const clients = startClients(
    run.plane.mesh.url(0),
    Array.from({ length: atOnce }, (_, index) => `${nameOf(index)}.${namespace}`),
  );
  await sleep(BEFORE_MS);
  const [{ ends, wholeMs }] = await Promise.all([
    release(run, { from: 0, count: atOnce, isGood: false, env: BAD }).then(async (released) => {
      await sleep(AFTERWARDS_MS);
      return released;
    }),
    DISTURBANCES[fault]({ proxy: run.proxy, prometheus: run.prometheus, killLeader: () => handOver(run) }, killedAfterMs),
  ]);
  const asked = await clients.stop();
  const reasons: Record<string, number> = {};
  for (const { failed } of asked) for (const [reason, count] of Object.entries(failed)) reasons[reason] = (reasons[reason] ?? 0) + count;
  return {
    controller,
    strategy,
    fault,
    atOnce,
    ...(fault === 'leader killed' ? { killedAfterMs } : {}),
    sent: asked.reduce((sum, { sent }) => sum + sent, 0),
    failed: asked.map(({ failed }) => Object.values(failed).reduce((sum, count) => sum + count, 0)),
    reasons,
    ends,
    wholeMs: wholeMs.p50,
  };
}

/** The leader is killed, and the standby leads from then on. */
async function handOver(run: UsersRun): Promise<void> {
  const { standby } = run;
  if (standby === undefined) throw new Error('no process is on standby');
  delete run.standby;
  await killLeader(run, standby);
}

const summary = ({ controller, strategy, fault, atOnce, failed, sent, ends, wholeMs, reasons }: UsersRound): string =>
  `${controller}, ${atOnce}, ${strategy}, ${fault}: ${listed(ends)} after ${(wholeMs / 1000).toFixed(0)} s; ` +
  `${failed.reduce((sum, count) => sum + count, 0)} of ${sent} requests failed: ${listed(reasons)}`;

async function settingOf({ cluster }: Plane): Promise<UsersSetting> {
  const { gitVersion } = (await cluster.raw('GET', '/version')) as { gitVersion: string };
  const [{ model = 'unknown' } = {}] = cpus();
  return {
    serin: createHash('sha256').update(readFileSync(BUNDLE)).digest('hex').slice(0, 12),
    flagger: FLAGGER_VERSION,
    kubernetes: gitVersion,
    node: process.version,
    machine: `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    requestsASecond: REQUESTS_A_SECOND,
  };
}
