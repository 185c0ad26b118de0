import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startNodes } from '../../src/embedded/nodes/index.ts';
import { podCallsBy } from '../../src/embedded/nodes/pod-calls.ts';
import { startRealCluster } from '../e2e/real-cluster.ts';
import type { Raw } from '../fakes/raw.ts';
import { applyCrds } from '../scenarios/environment.ts';
import { changeImage, createApplications, forEachIndex, nameOf } from './applications.ts';
import { type CanaryWatch, watchCanaries } from './canary-watch.ts';
import { startMeasuredController } from './controller-process.ts';
import { listed, median, totalOf } from './figures.ts';
import type { Counts } from './hostile-tenant.ts';

const START_BOUND_MS = 900_000;
const CALM_ROUNDS = 3;
const TENANT = join(import.meta.dirname, 'hostile-tenant.ts');
const TENANT_USER = 'tenant';
/** The share of the chart's memory limit, 512 MiB, that it gives to the heap. */
const CHART_HEAP_MB = 307;

/** Times of the neighbour's releases, from the push to Succeeded, in seconds. */
export interface Releases {
  rounds: number;
  medianSeconds: number;
  maxSeconds: number;
}

export interface HostileResult {
  releases: number;
  namespaces: number;
  minutes: number;
  calm: Releases;
  hostile: Releases;
  writes: Counts;
  /** Memory of the controller at the most, in megabytes (10^6 bytes): before the tenant came, and with it. */
  calmPeakRssMB: number;
  peakRssMB: number;
  cpuSeconds: number;
}

interface Options {
  /** Releases of the neighbour, at once. */
  releases: number;
  intervalSeconds: number;
  /** Namespaces of the hostile tenant. */
  namespaces: number;
  /** Number of these namespaces with pods. */
  withPods: number;
  writers: number;
  minutes: number;
  /** The controller does not watch the tenant's namespaces: how much of the difference is the API server's and the machine's. */
  blind: boolean;
  say(line: string): void;
}

/** Releases of a neighbour on etcd and kube-apiserver: first without load, then beside a tenant that writes as fast as the API server answers. */
export async function measureHostile(options: Options): Promise<HostileResult> {
  const { releases, intervalSeconds, minutes, say } = options;
  const real = await startRealCluster({ say, people: [TENANT_USER], fairness: true });
  const { cluster } = real;
  await applyCrds(cluster);
  const nodes = startNodes(cluster, {
    graceScale: 0.02,
    calls: podCallsBy(cluster),
  });
  await nodes.ready;
  const watch = watchCanaries(cluster);
  // The interval's floor is the default one: the operator has lifted no limit for the tenant.
  const flags = [
    '--enable-leader-election',
    '--min-analysis-interval=10s',

    ...(options.blind ? ['--namespace=bench'] : []),
  ];
  const controller = startMeasuredController(real.kubeconfigFile, flags, CHART_HEAP_MB);
  try {
    await createApplications(cluster, releases, 'kubernetes', { analysis: { interval: `${intervalSeconds}s` } });
    await watch.until(releases, 'are initialized', ({ status }: Raw) => status?.phase === 'Initialized', START_BOUND_MS);
    let version = 1;
    const round = () => releaseAll(releases, (index) => changeImage(cluster, index, String(version)), watch);
    const rounds = async (enough: (done: number) => boolean): Promise<number[][]> => {
      const times: number[][] = [];
      while (!enough(times.length)) {
        version += 1;
        times.push(await round());
        say(
          `round ${version - 1}: median ${median(times.at(-1) ?? []).toFixed(1)} s, most ${Math.max(...(times.at(-1) ?? [])).toFixed(1)} s`,
        );
      }
      return times;
    };
    const calm = await rounds((done) => done >= CALM_ROUNDS);
    const calmPeakRssMB = controller.figures().peakRssMB;
    say(`the hostile tenant settles in ${options.namespaces} namespaces`);
    const tenant = fork(TENANT, [
      real.adminKubeconfigFile,
      real.kubeconfigFileOf(TENANT_USER),
      TENANT_USER,
      ...[options.namespaces, options.withPods, options.writers].map(String),
    ]);
    let writes: Counts = { accepted: {}, refused: {} };
    try {
      await once(tenant, 'message');
      tenant.on('message', (counts) => {
        writes = counts as Counts;
      });
      say(`it writes for ${minutes} min`);
      const endsAt = performance.now() + minutes * 60_000;
      const hostile = await rounds(() => performance.now() >= endsAt);
      await once(tenant, 'message'); // counts come every second
      const { peakRssMB, cpuSeconds } = controller.figures();
      return {
        ...{ releases, namespaces: options.namespaces, minutes, writes, calmPeakRssMB, peakRssMB, cpuSeconds },
        calm: summary(calm),
        hostile: summary(hostile),
      };
    } finally {
      tenant.kill('SIGKILL');
    }
  } finally {
    await controller.stop();
    watch.stop();
    await nodes.stop();
    await real.stop();
  }
}

/** Seconds of each release, from the push of its image to Succeeded. */
async function releaseAll(count: number, push: (index: number) => Promise<unknown>, watch: CanaryWatch): Promise<number[]> {
  const pushedAtMs = new Map<string, number>();
  const begun = new Set<string>();
  const endedAtMs = new Map<string, number>();
  const stop = watch.onEach(({ metadata: { name }, status }: Raw) => {
    if (!pushedAtMs.has(name)) return;
    if (status?.phase === 'Progressing') begun.add(name);
    if (begun.has(name) && status?.phase === 'Succeeded' && !endedAtMs.has(name)) endedAtMs.set(name, performance.now());
  });
  try {
    await forEachIndex(count, async (index) => {
      pushedAtMs.set(nameOf(index), performance.now());
      await push(index);
    });
    await watch.until(count, 'succeeded', ({ metadata: { name } }) => endedAtMs.has(name), START_BOUND_MS);
  } finally {
    stop();
  }
  return [...endedAtMs].map(([name, atMs]) => (atMs - (pushedAtMs.get(name) ?? Number.NaN)) / 1000);
}

function summary(rounds: readonly number[][]): Releases {
  const all = rounds.flat();
  return { rounds: rounds.length, medianSeconds: median(all), maxSeconds: Math.max(...all) };
}

export function hostileReport({ calm, hostile, ...result }: HostileResult): string[] {
  const row = (label: string, ...cells: (number | string)[]) =>
    label.padEnd(46) + cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : cell).padStart(12)).join('');
  return [
    '',
    row(`${result.releases} releases of a neighbour`, 'alone', 'beside it', 'ratio'),
    row('rounds', String(calm.rounds), String(hostile.rounds)),
    row('release, median, s', calm.medianSeconds, hostile.medianSeconds, hostile.medianSeconds / calm.medianSeconds),
    row('release, slowest, s', calm.maxSeconds, hostile.maxSeconds, hostile.maxSeconds / calm.maxSeconds),
    row('memory of the controller at the most, MB', result.calmPeakRssMB, result.peakRssMB),
    row('CPU of the controller in all, s', '', result.cpuSeconds),
    row(`writes of the tenant in ${result.minutes} min`, '', String(totalOf(result.writes.accepted))),
    row('  refused or failed', '', String(totalOf(result.writes.refused))),
    `accepted: ${listed(result.writes.accepted)}`,
    `refused: ${listed(result.writes.refused)}`,
  ];
}
