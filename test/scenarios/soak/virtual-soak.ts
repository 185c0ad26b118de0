import { ServerResponse } from 'node:http';
import v8 from 'node:v8';
import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import { inParallel } from '../../bench/at-once/at-once-applications.ts';
import { startFakePrometheus } from '../../bench/at-once/fake-prometheus.ts';
import { ReleaseLog } from '../../bench/at-once/release-log.ts';
import { type AnsweredRequest, type BareCluster, resourceIn, startBareCluster } from '../../bench/bare-cluster.ts';
import { type HeapCounts, heapCounts } from '../../fakes/heap-counts.ts';
import { drawer } from '../../fakes/model/life.ts';
import { raw } from '../../fakes/raw.ts';
import { eventually } from '../eventually.ts';
import { ShardedSerin, type ShardReplica } from '../shards/sharded-serin.ts';
import { monotonicMs, nowMs, sleep, virtualOne, world } from '../world.ts';
import { LEASE_SECONDS, type LeaderChange, type LeaderlessTime } from './lateness.ts';
import { type LeaderCounts, leaderCounts } from './leader-counts.ts';
import { type LifeReport, SoakedApplications } from './soaked-applications.ts';

export interface SoakOptions {
  /** A multiple of 30, so that each cycle has the same lives. */
  canaries: number;
  cycles: number;
  cycleMs: number;
  /** By the number of the cycle. */
  changes: Readonly<Record<number, LeaderChange>>;
  seed: number;
  /** For logs. */
  folder: string;
  /** Called with the counts of each cycle. */
  say(line: string): void;
}

/** At the end of a cycle, when all Canaries are idle. */
export interface CycleCounts extends HeapCounts, Pick<LeaderCounts, 'series' | 'registered' | 'waiting'> {
  /** Set timers of the controllers, and of all else in this world. */
  timers: number;
  /** Open watches: responses of HTTP servers that have not ended. */
  watches: number;
  /** Objects of the cluster by store, without Events. */
  stored: Record<string, number>;
  /** Canaries that were made in this cycle, and Events about them and about deleted Canaries: the leader remembers as many more, up to a limit. */
  newCanaries: number;
  newEvents: number;
}

export interface SoakReport extends LifeReport {
  counts: readonly CycleCounts[];
  /** Requests of the idle parts of the cycles, besides those of the lease and of watches that are opened again. */
  idleRequests: readonly string[];
  complaints: readonly string[];
}

const NAMESPACE = 'soak';
const LEASE = [
  `--lease-duration=${LEASE_SECONDS.duration}s`,
  `--renew-deadline=${LEASE_SECONDS.renewDeadline}s`,
  `--retry-period=${LEASE_SECONDS.retryPeriod}s`,
];
const HALTED_MS = 100_000;
/** Reached after two releases, so that the cluster holds as many objects at the end of each further cycle. */
const JOURNALS = '--journal-limit=2';
/** Part of a cycle in which releases begin, and from which on the requests are idle ones. */
const [BUSY, IDLE] = [0.6, 0.85];
/** Small: the heap also holds the changes that the server keeps. */
const WATCH_WINDOW = 100;

/** Two replicas over many applications, cycle after cycle, in virtual time. */
export async function playSoak({ canaries, cycles, cycleMs, changes, seed, folder, say }: SoakOptions): Promise<SoakReport> {
  const draw = drawer(seed);
  const bare = await startBareCluster({ world: world(), watchWindow: WATCH_WINDOW });
  const { cluster } = bare;
  const prometheus = await startFakePrometheus(world());
  const log = new ReleaseLog(cluster, NAMESPACE, world().clock);
  const flags = [`--namespace=${NAMESPACE}`, `--metrics-server=${prometheus.url}`, ...LEASE, JOURNALS];
  const serin = new ShardedSerin(() => bare.kubeconfigFile, folder, flags);
  const leaderless: LeaderlessTime[] = [];
  const applications = new SoakedApplications(
    { cluster, namespace: NAMESPACE, prometheus, log, draw, areMadeAgain: true, leaderless },
    canaries,
  );
  const counts: CycleCounts[] = [];
  const idleRequests: string[] = [];
  try {
    for (let each = 0; each < 2; each += 1) serin.start(1);
    await applications.create();
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      const fromMs = monotonicMs();
      const busyMs = cycleMs * BUSY;
      const before = canariesIn(bare.snapshot());
      await Promise.all([
        applications.cycle(cycle, busyMs),
        changeLeader(serin, { afterMs: draw(busyMs / 4, busyMs / 2), change: changes[cycle], leaderless }),
      ]);
      const news = await endEvents(bare, before);
      await sleep(fromMs + cycleMs * IDLE - monotonicMs());
      bare.forget();
      await sleep(fromMs + cycleMs - monotonicMs());
      idleRequests.push(...bare.paths.filter(isOfWork).map(({ verb, path }) => `cycle ${cycle}: ${verb} ${path}`));
      bare.forget();
      const { series, registered, waiting } = leaderCounts(await leaderOf(serin).metrics());
      counts.push({ series, registered, waiting, ...(await worldCounts(bare)), ...news });
      say(JSON.stringify(counts.at(-1)));
    }
    return { ...applications.report(), counts, idleRequests, complaints: serin.complaints() };
  } finally {
    await serin.stop();
    log.stop();
    await prometheus.stop();
    await bare.stop();
  }
}

function leaderOf(serin: ShardedSerin): ShardReplica {
  const [leader] = serin.alive.filter((replica) => replica.held().length > 0);
  if (leader === undefined) throw new Error('no replica leads');
  return leader;
}

/** Also notes the time without a leader. */
async function changeLeader(
  serin: ShardedSerin,
  { afterMs, change, leaderless }: { afterMs: number; change: LeaderChange | undefined; leaderless: LeaderlessTime[] },
): Promise<void> {
  if (change === undefined) return;
  await sleep(afterMs);
  const leader = leaderOf(serin);
  const time: LeaderlessTime = { change, fromMs: nowMs(), toMs: Number.POSITIVE_INFINITY };
  leaderless.push(time);
  const followed = eventually('another replica leads', () => serin.alive.some((one) => one !== leader && one.held().length > 0)).then(
    () => {
      time.toMs = nowMs();
    },
  );
  if (change === 'halted') {
    leader.run.send('STOP');
    await Promise.all([followed, sleep(HALTED_MS)]);
    leader.run.send('CONT');
  } else {
    await serin.end(leader, change === 'killed' ? 'KILL' : 'TERM');
    serin.start(1);
    await followed;
  }
}

/** Deletes the Events of this cycle, whose time to live is over. `before`: the Canaries at its begin. */
async function endEvents({ cluster, snapshot }: BareCluster, before: ReadonlySet<string>) {
  const events = snapshot()['/events'] ?? [];
  await inParallel(events.length, 32, (index) => cluster.delete(refOf(events[index] as KubeObject)));
  const now = canariesIn(snapshot());
  const about = events.map((event): string => raw(event).involvedObject.uid);
  return {
    newCanaries: [...now].filter((uid) => !before.has(uid)).length,
    newEvents: about.filter((uid) => !before.has(uid) || !now.has(uid)).length,
  };
}

const canariesIn = (stored: Record<string, KubeObject[]>) =>
  new Set(stored['flagger.app/canaries']?.map(({ metadata: { uid = '' } }) => uid));

async function worldCounts({ snapshot }: BareCluster): Promise<HeapCounts & Pick<CycleCounts, 'timers' | 'watches' | 'stored'>> {
  const stored = Object.entries(snapshot()).map(([store, { length }]) => [store, length] as const);
  return {
    ...(await heapCounts()),
    timers: virtualOne()?.clock.pending ?? 0,
    watches: v8.queryObjects(ServerResponse, { format: 'count' }),
    stored: Object.fromEntries(stored.filter(([store, length]) => store !== '/events' && length > 0)),
  };
}

/** Not of a lease, and not a watch that is opened again. */
const isOfWork = ({ path, verb }: AnsweredRequest): boolean => resourceIn(path) !== 'leases' && verb !== 'watch';
