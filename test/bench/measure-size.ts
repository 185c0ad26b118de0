import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Raw } from '../fakes/raw.ts';
import { settled } from '../scenarios/settled.ts';
import { changeImage, createApplications, forEachIndex, nameOf } from './applications.ts';
import { type BareCluster, startBareCluster } from './bare-cluster.ts';
import { type CanaryWatch, watchCanaries } from './canary-watch.ts';
import { type MeasuredController, startMeasuredController } from './controller-process.ts';
import { betweenStatusWrites, difference, median } from './figures.ts';
import { writeLines } from './restart-writes.ts';

export const AGENT = 'serin-controller';
/** Longer than a sentence may wait to be written (E55). */
const QUIET_FOR_MS = 7_000;
const LOOK_EVERY_MS = 100;
export const START_BOUND_MS = 600_000;
const CHANGE_BOUND_MS = 60_000;

export interface FirstAction {
  changes: number;
  medianMs: number;
  maxMs: number;
}

export interface SizeResult {
  canaries: number;
  /** Requests of a restart over resting Canaries, until the controller has settled. */
  restartRequests: Record<string, number>;
  /** Each write among them, and what it changed. */
  restartWrites: string[];
  restSeconds: number;
  restRequests: Record<string, number>;
  restCpuSeconds: number;
  /** Until it has settled after the restart. */
  startCpuSeconds: number;
  restRssMB: number;
  peakRssMB: number;
  firstAction: FirstAction[];
}

/** One size: the Canaries are brought to rest, then a fresh controller with default limits is started over them and looked at. */
export async function measureSize(
  canaries: number,
  options: { restSeconds: number; changes: readonly number[]; say(line: string): void },
): Promise<SizeResult> {
  const { restSeconds, changes, say } = options;
  const bare = await startBareCluster();
  const watch = watchCanaries(bare.cluster);
  try {
    await createApplications(bare.cluster, canaries, 'kubernetes');
    const first = startMeasuredController(bare.kubeconfigFile, ['--kubeconfig-qps=5000', '--kubeconfig-burst=5000']);
    try {
      await watch.until(canaries, 'are initialized', ({ status }: Raw) => status?.release?.step === 'resting', START_BOUND_MS);
      await settledRequests(bare, first);
    } finally {
      await first.stop();
    }
    say(`${canaries} Canaries are idle; a fresh controller starts over them`);
    const before = bare.requestCounts(AGENT);
    const [snapshot, from] = [bare.snapshot(), bare.paths.length];
    const controller = startMeasuredController(bare.kubeconfigFile);
    try {
      await untilWatching(bare, before);
      await settledRequests(bare, controller);
      const restartWrites = writeLines(bare.paths.slice(from), snapshot, bare.snapshot());
      const started = { counts: bare.requestCounts(AGENT), ...controller.figures() };
      await sleep(restSeconds * 1000);
      const rested = { counts: bare.requestCounts(AGENT), ...controller.figures() };
      const firstAction: FirstAction[] = [];
      let changed = 0;
      // Only resting Canaries are changed; the earlier ones go on with their releases in the meantime.
      for (const wanted of changes) {
        const count = Math.min(wanted, canaries - changed);
        if (count === 0) continue;
        firstAction.push(await timeToFirstAction(bare, watch, changed, count));
        changed += count;
      }
      return {
        canaries,
        restartRequests: difference(started.counts, before),
        restartWrites,
        restSeconds,
        restRequests: difference(rested.counts, started.counts),
        restCpuSeconds: rested.cpuSeconds - started.cpuSeconds,
        startCpuSeconds: started.cpuSeconds,
        restRssMB: rested.rssMB,
        peakRssMB: controller.figures().peakRssMB,
        firstAction,
      };
    } finally {
      await controller.stop();
    }
  } finally {
    watch.stop();
    await bare.stop();
  }
}

async function timeToFirstAction(bare: BareCluster, watch: CanaryWatch, from: number, count: number): Promise<FirstAction> {
  const changedAt = new Map<string, number>();
  const tookMs = new Map<string, number>();
  const stopListening = watch.onEach(({ metadata, status }: Raw) => {
    const at = changedAt.get(metadata.name);
    if (at !== undefined && status?.phase === 'Progressing' && !tookMs.has(metadata.name))
      tookMs.set(metadata.name, performance.now() - at);
  });
  const acting = watch.until(count, 'began', ({ metadata }) => tookMs.has(metadata.name), CHANGE_BOUND_MS);
  await Promise.all([
    acting,
    forEachIndex(
      count,
      (offset) => {
        changedAt.set(nameOf(from + offset), performance.now());
        return changeImage(bare.cluster, from + offset, '2');
      },
      count,
    ),
  ]);
  stopListening();
  const times = [...tookMs.values()];
  return { changes: count, medianMs: median(times), maxMs: Math.max(...times) };
}

/** Requests of one progressing step on Istio: each status write that was followed by a route, until the next. */
export async function measureSteps(): Promise<Record<string, number>[]> {
  const bare = await startBareCluster();
  const watch = watchCanaries(bare.cluster);
  const controller = startMeasuredController(bare.kubeconfigFile);
  try {
    await createApplications(bare.cluster, 1, 'istio');
    await watch.until(1, 'are initialized', ({ status }: Raw) => status?.phase === 'Initialized', START_BOUND_MS);
    await settledRequests(bare, controller);
    const from = bare.answered.length;
    await changeImage(bare.cluster, 0, '2');
    await watch.until(1, 'succeeded', ({ status }: Raw) => status?.phase === 'Succeeded', CHANGE_BOUND_MS);
    return betweenStatusWrites(bare.answered.slice(from)).filter((step) => 'patch virtualservices' in step);
  } finally {
    await controller.stop();
    watch.stop();
    await bare.stop();
  }
}

/** Until the controller has opened its watches. */
async function untilWatching(bare: BareCluster, before: Record<string, number>): Promise<void> {
  await until('the controller watches', () => (difference(bare.requestCounts(AGENT), before)['watch canaries'] ?? 0) > 0);
}

/** Until the controller has sent nothing for a while: longer than a sentence may wait to be written, and than any pause in its log. */
export async function settledRequests(bare: BareCluster, { logFile }: MeasuredController): Promise<void> {
  for (let quietMs = 0; quietMs < longestPauseMs(logFile); ) {
    quietMs = longestPauseMs(logFile);
    await settled(() => bare.requestCounts(AGENT), quietMs, START_BOUND_MS);
  }
}

/** A busy machine leaves requests without an answer, and what failed is tried again after up to a minute: until then a Canary does not rest. */
function longestPauseMs(logFile: string): number {
  const pauses = [...readFileSync(logFile, 'utf8').matchAll(/"retryInMs":(\d+)/g)].map(([, ms]) => Number(ms) + 1_000);
  return Math.max(QUIET_FOR_MS, ...pauses);
}

export async function until(what: string, isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + START_BOUND_MS;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`${what}: not within ${START_BOUND_MS / 1000} s`);
    await sleep(LOOK_EVERY_MS);
  }
}
