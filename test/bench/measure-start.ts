import { setTimeout as sleep } from 'node:timers/promises';
import type { Raw } from '../fakes/raw.ts';
import { changeImage, createApplications, NAMESPACE, nameOf } from './applications.ts';
import { type AnsweredRequest, type BareCluster, startBareCluster } from './bare-cluster.ts';
import { type CanaryWatch, watchCanaries } from './canary-watch.ts';
import { startMeasuredController } from './controller-process.ts';
import { changeSecrets, createForeignObjects } from './foreign-objects.ts';
import { START_BOUND_MS, settledRequests, until } from './measure-size.ts';

/** Indices of the application whose release is under way, and of that with a version that was pushed while no controller ran. */
const UNDER_WAY = 1;
const PUSHED = 2;
const CHURN_MS = 30_000;
const READS = new Set(['get', 'list', 'watch']);

export interface StartResult {
  canaries: number;
  /** From the start of the process to the first answer of the API server: Node and the bundle. */
  firstRequestMs: number;
  /** To the first write for a release that was under way, and for a version that was pushed while no controller ran; absent where Canaries are suspended. */
  firstReleaseMs?: number;
  firstPushMs?: number;
  /** To the first write for a Canary that was made while no controller ran: with all first lists. */
  firstReconcileMs: number;
  /** Resident memory at the most, until then, and after half a minute more in which Secrets change. Megabytes (10^6 bytes). */
  peakToReconcileMB: number;
  peakRssMB: number;
  restRssMB: number;
  startCpuSeconds: number;
  secretChanges: number;
}

interface Options {
  canaries: number;
  deployments: number;
  secrets: number;
  /** Changes of the Secrets, a second. */
  changes: number;
  /** Canaries are suspended instead of brought to rest: sooner there, but without primaries and their Services. */
  suspended: boolean;
  say(line: string): void;
}

/** A controller is started, with default limits, over idle Canaries, in a cluster full of objects of others. */
export async function measureStart({ canaries, deployments, secrets, changes, suspended, say }: Options): Promise<StartResult> {
  const bare = await startBareCluster();
  const watch = watchCanaries(bare.cluster);
  try {
    await createApplications(bare.cluster, canaries, 'kubernetes', { suspended });
    if (!suspended) await bringToRest(bare, watch, canaries);
    say(`${canaries} Canaries are idle; ${deployments} Deployments and ${secrets} Secrets of others are made`);
    await createForeignObjects(bare.cluster, deployments, secrets);
    await createApplications(bare.cluster, 1, 'kubernetes', { from: canaries });
    if (!suspended) await changeImage(bare.cluster, PUSHED, '2');
    const stopChanges = changeSecrets(bare.cluster, secrets, changes);
    say(`a controller is started, while ${changes} Secrets change a second`);
    const from = bare.paths.length;
    const startedAtMs = performance.now();
    const controller = startMeasuredController(bare.kubeconfigFile);
    const since = ({ atMs }: AnsweredRequest) => atMs - startedAtMs;
    const firstOf = (isIt: (request: AnsweredRequest) => boolean) => bare.paths.slice(from).find(isIt);
    const writeFor = (index: number) =>
      firstOf(({ verb, path }) => !READS.has(verb) && path.includes(`/namespaces/${NAMESPACE}/`) && path.includes(`/${nameOf(index)}`));
    const pushed = suspended ? [] : [UNDER_WAY, PUSHED];
    try {
      await until('the controller writes', () => [canaries, ...pushed].every((index) => writeFor(index) !== undefined));
      const reconciled = controller.figures();
      await watch.until(
        1,
        `${nameOf(canaries)} is initialized`,
        ({ metadata, status }: Raw) => metadata.name === nameOf(canaries) && status?.phase === 'Initialized',
        START_BOUND_MS,
      );
      await sleep(CHURN_MS);
      const rested = controller.figures();
      const [request, write, release, push] = [firstOf(() => true), writeFor(canaries), writeFor(UNDER_WAY), writeFor(PUSHED)];
      return {
        canaries,
        firstRequestMs: request ? since(request) : Number.NaN,
        ...(release && { firstReleaseMs: since(release) }),
        ...(push && !suspended && { firstPushMs: since(push) }),
        firstReconcileMs: write ? since(write) : Number.NaN,
        peakToReconcileMB: reconciled.peakRssMB,
        peakRssMB: rested.peakRssMB,
        restRssMB: rested.rssMB,
        startCpuSeconds: reconciled.cpuSeconds,
        secretChanges: await stopChanges(),
      };
    } finally {
      await controller.stop();
    }
  } finally {
    watch.stop();
    await bare.stop();
  }
}

async function bringToRest(bare: BareCluster, watch: CanaryWatch, canaries: number): Promise<void> {
  const controller = startMeasuredController(bare.kubeconfigFile, ['--kubeconfig-qps=5000', '--kubeconfig-burst=5000']);
  try {
    await watch.until(canaries, 'are initialized', ({ status }: Raw) => status?.release?.step === 'resting', START_BOUND_MS);
    await settledRequests(bare, controller);
    await changeImage(bare.cluster, UNDER_WAY, '2');
    const isUnderWay = ({ metadata, status }: Raw) => metadata.name === nameOf(UNDER_WAY) && status?.phase === 'Progressing';
    await watch.until(1, 'has a release under way', isUnderWay, START_BOUND_MS);
  } finally {
    await controller.stop();
  }
}

export function startLines(starts: readonly StartResult[]): string[] {
  const row = (label: string, of: (one: StartResult) => number, digits = 0) =>
    `${label.padEnd(46)}${starts.map((one) => of(one).toFixed(digits).padStart(12)).join('')}`;
  return [
    '',
    row('resting Canaries', ({ canaries }) => canaries),
    row('process start to first answer, ms', (one) => one.firstRequestMs),
    row('process start to first write of a release, ms', (one) => one.firstReleaseMs ?? Number.NaN),
    row('  of a pushed version, ms', (one) => one.firstPushMs ?? Number.NaN),
    row('  of a new Canary, ms', (one) => one.firstReconcileMs),
    row('CPU until then, s', (one) => one.startCpuSeconds, 2),
    row('memory at the most until then, MB', (one) => one.peakToReconcileMB),
    row('memory at the most, MB', (one) => one.peakRssMB),
    row('memory after it, MB', (one) => one.restRssMB),
    row('changes of Secrets meanwhile', (one) => one.secretChanges),
  ];
}
