import { setTimeout as sleep } from 'node:timers/promises';
import { applyCrdFiles } from '../../scenarios/environment.ts';
import { type EnvVar, nameOf } from '../applications.ts';
import { percentile } from '../figures.ts';
import { createNamespace, inParallel } from './at-once-applications.ts';
import type { ControlPlane } from './control-plane.ts';
import type { FakePrometheus } from './fake-prometheus.ts';
import type { Fault, FaultProxy } from './fault-proxy.ts';
import { latenessMs, type ReleaseLog, type ReleaseTimes } from './release-log.ts';
import { figuresOf, isOfLease, type RequestFigures, type SeenRequest } from './request-log.ts';
import { type Place, RunningSubject, type Subject } from './subjects.ts';

/** Costs of a phase for its controller. Memory in MiB. */
export interface Cost {
  requests: RequestFigures;
  seconds: number;
  cpuSeconds: number;
  /** CPU time of the API server, for all its clients in this time. */
  serverCpuSeconds?: number | undefined;
  rssMiB: number;
  peakMiB: number;
  /** Times that the process ended by itself, and was started again. */
  processEnds: number;
}

/** `tookMs`: until all were so; absent where the bound came first. */
export interface Reached {
  of: number;
  reached: number;
  tookMs?: number;
}

export interface Spread {
  p50: number;
  p99: number;
  max: number;
}

export type Initialized = Cost & Reached & { phases: Record<string, number> };
export type Releases = Cost &
  Reached & {
    begun: number;
    reactionMs: Spread;
    latenessMs: Spread;
    steps: number;
    /** Duration of each release that ended. */
    wholeMs: Spread;
    ends: Record<string, number>;
  };
export type Faulty = Releases & {
  fault: Fault;
  faultSeconds: number;
  /** From its end until every release that had not ended went a step on; absent where the bound came first. */
  recoveredMs?: number;
  refusedByProxy: number;
};
export interface Restart {
  readyMs?: number;
  /** Until the last watch was opened. */
  watchingMs?: number;
  /** Until a release that was pushed at the start had its first status. */
  reactionMs?: number;
  cost: Cost;
}
export interface LeaderChange {
  /** From the end of the leader, and a push at the same moment, until the release had its first status. */
  reactionMs?: number;
  cost: Cost;
}

export interface Run extends Place {
  subject: Subject;
  plane: ControlPlane;
  prometheus: FakePrometheus;
  log: ReleaseLog;
  running: RunningSubject;
  size: number;
  /** Steps of each release. */
  steps: number;
  /** Bound of every wait. */
  boundMs: number;
  /** Counts the pushes, so that each has an image of its own. */
  versions: number;
  say(line: string): void;
}

const AT_ONCE = 32;
const IDLE_MS = 60_000;
const SETTLED_MS = 10_000;
const SETTLES_WITHIN_MS = 90_000;
const AFTER_START_MS = 30_000;
const STANDBY_MS = 10_000;
const AFTER_LEADER_MS = 30_000;
const FAULT_AFTER_MS = 15_000;
const FAULT_MS: Readonly<Record<Fault, number>> = { slow: 60_000, throttled: 60_000, tenth: 60_000, down: 60_000, lagging: 30_000 };
const LOOK_EVERY_MS = 200;
const MIB = 1_048_576 / 1e6;

/** Creates targets, and waits until they are ready, before any Canary exists. */
export async function createTargets({ plane, subject, size, boundMs }: Omit<Run, 'running' | 'log'>): Promise<void> {
  await applyCrdFiles(plane.cluster, subject.crds);
  await createNamespace(plane.cluster, subject.namespace);
  await inParallel(size, AT_ONCE, (index) => subject.applications.createTarget(plane.cluster, subject.namespace, index));
  const endMs = Date.now() + boundMs;
  while (!plane.isIdle() && Date.now() < endMs) await sleep(LOOK_EVERY_MS);
}

/** All Canaries at once. */
export async function initializeAll(run: Run): Promise<Initialized> {
  const { plane, subject, log, size, boundMs } = run;
  const { namespace } = subject;
  const initialized = () => log.phases().Initialized ?? 0;
  return measured(run, async () => {
    const waiting = log.until(boundMs, () => initialized() === size);
    await inParallel(size, AT_ONCE, (index) => subject.applications.create(plane.cluster, namespace, index, run));
    const tookMs = await waiting;
    return { of: size, reached: initialized(), phases: log.phases(), ...(tookMs === undefined ? {} : { tookMs }) };
  });
}

/** A minute after the last request, where there is one. */
export async function rest(run: Run): Promise<Cost> {
  await settled(run);
  return measured(run, async () => {
    await sleep(IDLE_MS);
    return {};
  });
}

export interface Push {
  from: number;
  count: number;
  isGood: boolean;
  /** Of the container of the new version, besides what every version has. */
  env?: readonly EnvVar[];
  /** The pushes are spread evenly over this time; default: all at once. */
  overMs?: number;
}

/** New images, until all releases have ended. */
export async function release(run: Run, push: Push): Promise<Releases> {
  return measured(run, async () => {
    const { releases, tookMs } = await pushed(run, push);
    return { ...releasesOf(releases, run.steps), ...(tookMs === undefined ? {} : { tookMs }) };
  });
}

/** The same, with a fault that comes soon after the push and goes again. */
export async function releaseUnderFault(run: Run, proxy: FaultProxy, fault: Fault, push: Push): Promise<Faulty> {
  const refusedBefore = proxy.refused();
  return measured(run, async () => {
    const going = pushed(run, push);
    await sleep(FAULT_AFTER_MS);
    run.say(`${run.subject.name}: the API server is ${fault} for ${FAULT_MS[fault] / 1000} s`);
    proxy.set(fault);
    await sleep(FAULT_MS[fault]);
    proxy.set(undefined);
    const endMs = Date.now();
    const { releases, tookMs } = await going;
    const firstMoves = releases
      .filter(({ endedMs = Number.POSITIVE_INFINITY }) => endedMs > endMs)
      .map(({ movedMs }) => movedMs.find((at) => at > endMs));
    const recovered = firstMoves.every((at) => at !== undefined) ? Math.max(0, ...firstMoves.map((at) => at - endMs)) : undefined;
    return {
      ...releasesOf(releases, run.steps),
      ...(tookMs === undefined ? {} : { tookMs }),
      fault,
      faultSeconds: FAULT_MS[fault] / 1000,
      ...(recovered === undefined ? {} : { recoveredMs: recovered }),
      refusedByProxy: proxy.refused() - refusedBefore,
    };
  });
}

/** The controller is ended and started again over Canaries at rest, one of which has a new image. */
export async function restart(run: Run): Promise<Restart> {
  const { subject } = run;
  await settled(run);
  await run.running.stop();
  const fromMs = Date.now();
  run.running = await RunningSubject.start(subject, run);
  const times = await pushOne(run);
  const readyMs = await run.running.ready(run.boundMs);
  const { reactionMs, cost } = await firstAction(run, times, fromMs, AFTER_START_MS);
  const watches = run.plane.requests
    .since(subject.name, fromMs)
    .filter(({ what, atMs }) => what.startsWith('watch ') && atMs < fromMs + AFTER_START_MS);
  const lastWatchMs = Math.max(...watches.map(({ atMs }) => atMs));
  await ended(run, times);
  return {
    ...(readyMs === undefined ? {} : { readyMs }),
    ...(reactionMs === undefined ? {} : { reactionMs }),
    ...(watches.length === 0 ? {} : { watchingMs: lastWatchMs - fromMs }),
    cost,
  };
}

/** Another process, which leads when the leader has ended. */
export async function startStandby(run: Run): Promise<RunningSubject> {
  const standby = await RunningSubject.start(run.subject, run);
  await standby.ready(run.boundMs);
  await sleep(STANDBY_MS);
  return standby;
}

export async function killLeader(run: Run, standby: RunningSubject): Promise<void> {
  const leader = run.running;
  run.running = standby;
  await leader.stop('SIGKILL');
}

/** Kills the leader while another process is on standby. */
export async function changeLeader(run: Run): Promise<LeaderChange> {
  await settled(run);
  await killLeader(run, await startStandby(run));
  const fromMs = Date.now();
  const times = await pushOne(run);
  const found = await firstAction(run, times, fromMs, AFTER_LEADER_MS);
  await ended(run, times);
  return found;
}

async function pushOne(run: Run): Promise<ReleaseTimes> {
  const { plane, subject, log } = run;
  run.versions += 1;
  run.prometheus.answer(true);
  const times = log.pushed(nameOf(run.size - 1));
  await subject.applications.push(plane.cluster, subject.namespace, run.size - 1, String(run.versions + 1), []);
  return times;
}

const ended = ({ log, boundMs }: Run, times: ReleaseTimes) => log.until(boundMs, () => times.endedMs !== undefined);

async function firstAction(run: Run, times: ReleaseTimes, fromMs: number, afterMs: number): Promise<{ reactionMs?: number; cost: Cost }> {
  const beforeSeconds = run.running.figures().cpuSeconds;
  await run.log.until(run.boundMs, () => times.begunMs !== undefined);
  await sleep(Math.max(0, fromMs + afterMs - Date.now()));
  const cost = costOf(run, { fromMs, cpuSeconds: beforeSeconds, processEnds: run.running.ends });
  return { ...(times.begunMs === undefined ? {} : { reactionMs: times.begunMs - fromMs }), cost };
}

async function pushed(
  run: Run,
  { from, count, isGood, env = [], overMs = 0 }: Push,
): Promise<{ releases: ReleaseTimes[]; tookMs: number | undefined }> {
  const { plane, subject, log, boundMs } = run;
  run.versions += 1;
  run.prometheus.answer(isGood);
  const releases = Array.from({ length: count }, (_, offset) => log.pushed(nameOf(from + offset)));
  const startedMs = Date.now();
  await inParallel(count, count, async (offset) => {
    if (overMs > 0) await sleep((offset * overMs) / count);
    await subject.applications.push(plane.cluster, subject.namespace, from + offset, String(run.versions + 1), env);
    const times = releases[offset];
    // The watch can report the status before the answer to the push arrives.
    if (times) times.pushedMs = Math.min(Date.now(), times.begunMs ?? Number.POSITIVE_INFINITY);
  });
  const reached = await log.until(boundMs, () => releases.every(({ endedMs }) => endedMs !== undefined));
  return { releases, tookMs: reached === undefined ? undefined : Date.now() - startedMs };
}

function releasesOf(releases: readonly ReleaseTimes[], ofEach: number): Omit<Releases, keyof Cost | 'tookMs'> {
  const ends: Record<string, number> = {};
  for (const { end = 'not ended' } of releases) ends[end] = (ends[end] ?? 0) + 1;
  return {
    of: releases.length,
    reached: releases.filter(({ endedMs }) => endedMs !== undefined).length,
    begun: releases.filter(({ begunMs }) => begunMs !== undefined).length,
    reactionMs: spread(releases.flatMap(({ pushedMs, begunMs }) => (begunMs === undefined ? [] : [begunMs - pushedMs]))),
    latenessMs: spread(latenessMs(releases)),
    steps: releases.reduce((sum, { stepsMs }) => sum + Math.min(ofEach, stepsMs.length), 0),
    wholeMs: spread(releases.flatMap(({ pushedMs, endedMs }) => (endedMs === undefined ? [] : [endedMs - pushedMs]))),
    ends,
  };
}

const spread = (values: readonly number[]): Spread => ({
  p50: percentile(values, 50),
  p99: percentile(values, 99),
  max: percentile(values, 100),
});

/** Waits until only requests of the lease have come for a while; a controller that polls never gets there. */
async function settled({ plane, subject }: Run): Promise<void> {
  const endMs = Date.now() + SETTLES_WITHIN_MS;
  const isBusy = (request: SeenRequest) => !isOfLease(request) && !request.what.startsWith('watch ');
  while (Date.now() < endMs && plane.requests.since(subject.name, Date.now() - SETTLED_MS).some(isBusy)) await sleep(LOOK_EVERY_MS * 5);
}

async function measured<T extends object>(run: Run, work: () => Promise<T>): Promise<Cost & T> {
  const before = { fromMs: Date.now(), cpuSeconds: run.running.figures().cpuSeconds, processEnds: run.running.ends };
  run.running.forgetPeak();
  const serverBefore = await run.plane.serverCpuSeconds();
  const found = await work();
  const cost = costOf(run, before);
  const server = await run.plane.serverCpuSeconds();
  const serverCpuSeconds = server === undefined || serverBefore === undefined ? undefined : server - serverBefore;
  return { ...cost, serverCpuSeconds, ...found };
}

function costOf({ plane, subject, running }: Run, before: { fromMs: number; cpuSeconds: number; processEnds: number }): Cost {
  const { cpuSeconds, rssMB, peakRssMB } = running.figures();
  return {
    requests: figuresOf(plane.requests.since(subject.name, before.fromMs)),
    seconds: (Date.now() - before.fromMs) / 1000,
    cpuSeconds: cpuSeconds - before.cpuSeconds,
    rssMiB: rssMB / MIB,
    peakMiB: peakRssMB / MIB,
    processEnds: running.ends - before.processEnds,
  };
}
