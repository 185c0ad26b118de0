import { startControlPlane } from '../../bench/at-once/control-plane.ts';
import { startFakePrometheus } from '../../bench/at-once/fake-prometheus.ts';
import { ReleaseLog } from '../../bench/at-once/release-log.ts';
import { isOfLease } from '../../bench/at-once/request-log.ts';
import { RunningSubject, serinSubject } from '../../bench/at-once/subjects.ts';
import { drawer } from '../../fakes/model/life.ts';
import { nowMs, sleep } from '../world.ts';
import type { LeaderlessTime } from './lateness.ts';
import { type LeaderCounts, leaderCounts } from './leader-counts.ts';
import { type LifeReport, SoakedApplications } from './soaked-applications.ts';

export interface RealSoakOptions {
  canaries: number;
  minutes: number;
  seed: number;
  /** File of the shipped program. */
  program: string;
  say(line: string): void;
}

/** At the end of a cycle, when all Canaries are idle. */
export interface RealCounts extends LeaderCounts {
  /** The leader has led since this cycle. */
  since: number;
  rssMiB: number;
  heapMiB: number;
  /** 99th percentile of the event loop's delays since the last cycle. */
  loopLagMs: number;
}

export interface RealSoakReport extends LifeReport {
  counts: readonly RealCounts[];
  /** Requests of the idle parts of the cycles, besides those of the lease and of watches that are opened again. */
  idleRequests: readonly string[];
  /** Times that a process ended by itself. */
  processEnds: number;
}

const CYCLE_MINUTES = 10;
/** Part of a cycle in which releases begin. */
const BUSY = 0.5;
const IDLE_MS = 60_000;
/** The leader is killed in each of these cycles, and lives from the last of them to the end. */
const KILLED_IN = new Set([0, 2, 4]);
/** At the longest, with the default lease: its duration and a retry period. */
const LEADERLESS_MS = 17_000;
const READY_WITHIN_MS = 120_000;
const MIB = 1_048_576;

/** Two processes of the shipped program over many applications, cycle after cycle, on a real control plane whose Deployments are ready at once. */
export async function playRealSoak({ canaries, minutes, seed, program, say }: RealSoakOptions): Promise<RealSoakReport> {
  const draw = drawer(seed);
  const plane = await startControlPlane('real', say);
  const { cluster, apiUrl } = plane;
  const prometheus = await startFakePrometheus();
  const serin = serinSubject(program);
  const log = new ReleaseLog(cluster, serin.namespace);
  const leaderless: LeaderlessTime[] = [];
  // Nothing collects garbage here: a Canary that is made again would find what belongs to the deleted one.
  const applications = new SoakedApplications(
    { cluster, namespace: serin.namespace, prometheus, log, draw, areMadeAgain: false, leaderless },
    canaries,
  );
  const start = () => RunningSubject.start(serin, { plane, prometheusUrl: prometheus.url, apiUrl });
  const counts: RealCounts[] = [];
  const idleRequests: string[] = [];
  const cycles = Math.max(1, Math.round(minutes / CYCLE_MINUTES));
  const cycleMs = (minutes * 60_000) / cycles;
  let leader = await start();
  let standby: RunningSubject | undefined;
  let since = 0;
  let processEnds = 0;
  const killLeader = async (afterMs: number): Promise<void> => {
    await sleep(afterMs);
    const killed = leader;
    if (standby) leader = standby;
    processEnds += killed.ends;
    const killedMs = nowMs();
    leaderless.push({ change: 'killed', fromMs: killedMs, toMs: killedMs + LEADERLESS_MS });
    await killed.stop('SIGKILL');
    standby = await start();
  };
  try {
    if ((await leader.ready(READY_WITHIN_MS)) === undefined) throw new Error(`not ready within ${READY_WITHIN_MS / 1000} s`);
    standby = await start();
    await applications.create();
    say(`${canaries} Canaries are initialized; ${cycles} cycles`);
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      const fromMs = nowMs();
      const busyMs = cycleMs * BUSY;
      if (KILLED_IN.has(cycle)) since = cycle;
      await Promise.all([applications.cycle(cycle, busyMs), KILLED_IN.has(cycle) && killLeader(draw(busyMs / 4, busyMs))]);
      await sleep(Math.max(IDLE_MS / 2, fromMs + cycleMs - IDLE_MS - nowMs()));
      const idleMs = nowMs();
      await sleep(Math.max(IDLE_MS / 2, fromMs + cycleMs - nowMs()));
      const idle = plane.requests.since(serin.name, idleMs).filter((request) => !isOfLease(request) && !request.what.startsWith('watch '));
      idleRequests.push(...idle.map(({ what }) => `cycle ${cycle}: ${what}`));
      counts.push(realCounts((await leader.metrics()) ?? '', since));
      say(JSON.stringify(counts.at(-1)));
    }
    return { ...applications.report(), counts, idleRequests, processEnds: processEnds + leader.ends + (standby?.ends ?? 0) };
  } catch (error) {
    say(leader.logTail());
    throw error;
  } finally {
    await Promise.all([leader.stop(), standby?.stop()]);
    log.stop();
    await prometheus.stop();
    await plane.stop();
  }
}

function realCounts(metrics: string, since: number): RealCounts {
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(metrics)?.[1] ?? Number.NaN);
  return {
    ...leaderCounts(metrics),
    since,
    rssMiB: read('process_resident_memory_bytes') / MIB,
    heapMiB: read('nodejs_heap_size_used_bytes') / MIB,
    loopLagMs: read('nodejs_eventloop_lag_p99_seconds') * 1_000,
  };
}
