import { setTimeout as sleep } from 'node:timers/promises';
import { nameOf } from '../applications.ts';
import { pushImage, STEPS } from '../at-once/at-once-applications.ts';
import { startControlPlane } from '../at-once/control-plane.ts';
import { startFakePrometheus } from '../at-once/fake-prometheus.ts';
import { createTargets, initializeAll, type Run } from '../at-once/phases.ts';
import { ReleaseLog, type ReleaseTimes } from '../at-once/release-log.ts';
import { figuresOf, type RequestFigures } from '../at-once/request-log.ts';
import { RunningSubject, serin } from '../at-once/subjects.ts';
import { type MemoryFigures, type MemorySample, memoryFigures } from './memory.ts';

export interface SteadyOptions {
  canaries: number;
  minutes: number;
  /** A release begins in each of these. */
  everySeconds: number;
  say(line: string): void;
}

export interface SteadyResult {
  canaries: number;
  minutes: number;
  everySeconds: number;
  releases: {
    begun: number;
    /** Releases that had to be rolled back. */
    bad: number;
    /** `{ Succeeded: 80, Failed: 20 }`. */
    ends: Record<string, number>;
    /** Good releases that failed, bad releases that succeeded, and releases that did not end. */
    wrong: number;
    /** Times at which every Canary had a release under way, so that none began. */
    missed: number;
  };
  /** From the first release until the last one ended. */
  requests: RequestFigures;
  requestsARelease: number;
  cpuSecondsARelease: number;
  memory: MemoryFigures;
  /** Times that the process ended by itself, and was started again. */
  processEnds: number;
}

const SAMPLE_EVERY_MS = 10_000;
/** Every so many releases are bad. */
const BAD_ONE_IN = 5;
const READY_WITHIN_MS = 60_000;
/** Bound of a release: five steps of 10 s, and much more than a promotion takes. */
const ENDS_WITHIN_MS = 600_000;
const MIB = 1_048_576 / 1e6;

interface Push {
  isGood: boolean;
  times: ReleaseTimes;
}

/** Releases one after the other, on a real control plane whose Deployments are ready at once. */
export async function measureSteady(options: SteadyOptions): Promise<SteadyResult> {
  const { canaries, say } = options;
  const plane = await startControlPlane('real', say);
  const prometheus = await startFakePrometheus();
  const log = new ReleaseLog(plane.cluster, serin.namespace);
  let running: RunningSubject | undefined;
  try {
    const boundMs = 300_000 + canaries * 250;
    const place = {
      plane,
      subject: serin,
      prometheus,
      prometheusUrl: prometheus.url,
      apiUrl: plane.apiUrl,
      size: canaries,
      steps: STEPS,
      boundMs,
    };
    say('targets are created');
    await createTargets({ ...place, versions: 0, say });
    running = await RunningSubject.start(serin, place);
    if ((await running.ready(READY_WITHIN_MS)) === undefined) throw new Error(`not ready within ${READY_WITHIN_MS / 1000} s`);
    const run: Run = { ...place, log, running, versions: 0, say };
    const { reached } = await initializeAll(run);
    if (reached < canaries) throw new Error(`${reached} of ${canaries} were initialized within ${boundMs / 1000} s`);
    return await measureReleases(run, options);
  } catch (error) {
    say(running?.logTail() ?? '');
    throw error;
  } finally {
    await running?.stop();
    log.stop();
    await prometheus.stop();
    await plane.stop();
  }
}

async function measureReleases(run: Run, { canaries, minutes, everySeconds, say }: SteadyOptions): Promise<SteadyResult> {
  const { plane, running, log } = run;
  say(`${canaries} Canaries are initialized; a release every ${everySeconds} s for ${minutes} min`);
  const fromMs = Date.now();
  const cpuBefore = running.figures().cpuSeconds;
  const samples: MemorySample[] = [];
  const sampling = setInterval(() => void sample(), SAMPLE_EVERY_MS);
  const sample = async (): Promise<void> => {
    const atSeconds = (Date.now() - fromMs) / 1000;
    const heap = /^nodejs_heap_size_used_bytes (\S+)/m.exec((await running.metrics()) ?? '')?.[1];
    samples.push({ atSeconds, rssMiB: running.figures().rssMB / MIB, heapMiB: Number(heap ?? Number.NaN) / 1_048_576 });
  };
  try {
    const { pushes, missed } = await pushInTurn(run, fromMs, { canaries, minutes, everySeconds });
    await log.until(ENDS_WITHIN_MS, () => pushes.every(({ times }) => times.endedMs !== undefined));
    clearInterval(sampling);
    const requests = figuresOf(plane.requests.since(serin.name, fromMs));
    const ends: Record<string, number> = {};
    for (const { times } of pushes) ends[times.end ?? 'not ended'] = (ends[times.end ?? 'not ended'] ?? 0) + 1;
    const wrong = pushes.filter(({ isGood, times }) => times.end !== (isGood ? 'Succeeded' : 'Failed')).length;
    return {
      ...{ canaries, minutes, everySeconds, requests },
      releases: { begun: pushes.length, bad: pushes.filter(({ isGood }) => !isGood).length, ends, wrong, missed },
      requestsARelease: requests.total / pushes.length,
      cpuSecondsARelease: (running.figures().cpuSeconds - cpuBefore) / pushes.length,
      memory: memoryFigures(samples),
      processEnds: running.ends,
    };
  } finally {
    clearInterval(sampling);
  }
}

async function pushInTurn(
  { plane, prometheus, log }: Run,
  fromMs: number,
  { canaries, minutes, everySeconds }: Omit<SteadyOptions, 'say'>,
): Promise<{ pushes: Push[]; missed: number }> {
  const pushes: Push[] = [];
  const last = new Map<number, ReleaseTimes>();
  let missed = 0;
  let turn = 0;
  for (let dueMs = fromMs; dueMs < fromMs + minutes * 60_000; dueMs += everySeconds * 1_000) {
    await sleep(Math.max(0, dueMs - Date.now()));
    const isFree = (index: number) => !last.has(index) || last.get(index)?.endedMs !== undefined;
    const index = Array.from({ length: canaries }, (_, offset) => (turn + offset) % canaries).find(isFree);
    if (index === undefined) {
      missed += 1;
      continue;
    }
    turn = index + 1;
    // Each round gives the bad releases to other Canaries.
    const isGood = (pushes.length + Math.floor(pushes.length / canaries)) % BAD_ONE_IN !== BAD_ONE_IN - 1;
    prometheus.answerFor(nameOf(index), isGood);
    const times = log.pushed(nameOf(index));
    last.set(index, times);
    pushes.push({ isGood, times });
    await pushImage(plane.cluster, serin.namespace, index, String(pushes.length + 1));
  }
  return { pushes, missed };
}
