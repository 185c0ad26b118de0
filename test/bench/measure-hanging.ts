import type { Raw } from '../fakes/raw.ts';
import { changeImage, createApplications, forEachIndex, NAMESPACE } from './applications.ts';
import { startBareCluster } from './bare-cluster.ts';
import { watchCanaries } from './canary-watch.ts';
import { startMeasuredController } from './controller-process.ts';
import { median } from './figures.ts';
import { startReceiver } from './receiver.ts';

const ITERATIONS = 5;
const START_BOUND_MS = 600_000;

export interface Slips {
  receivers: 'answering' | 'hanging';
  /** Intervals that were seen: between two iterations of one Canary. */
  intervals: number;
  /** Delay over `analysis.interval`, in milliseconds. */
  medianMs: number;
  p99Ms: number;
  maxMs: number;
  /** Delay of one Canary over its whole analysis. */
  worstReleaseMs: number;
  calls: number;
  mostOpen: number;
  /** Still listed in the statuses when all releases were over. */
  waiting: number;
  cpuSeconds: number;
}

export interface HangingResult {
  canaries: number;
  intervalSeconds: number;
  slips: Slips[];
}

interface Options {
  canaries: number;
  intervalSeconds: number;
  say(line: string): void;
}

/**
 * Releases at the same time, each with two AlertProviders, an event webhook and a post-rollout hook: first with receivers that answer, then with receivers that
 * never answer. Gates are left out, because each holds its own release by design.
 */
export async function measureHanging({ canaries, intervalSeconds, say }: Options): Promise<HangingResult> {
  const slips: Slips[] = [];
  for (const receivers of ['answering', 'hanging'] as const) {
    say(`${canaries} releases at once, one check in ${intervalSeconds} s, chat servers and webhooks are ${receivers}`);
    slips.push(await measureSlips(receivers, canaries, intervalSeconds));
  }
  return { canaries, intervalSeconds, slips };
}

export function slipLines({ canaries, intervalSeconds, slips }: HangingResult): string[] {
  const row = (label: string, of: (one: Slips) => number) =>
    `${label.padEnd(46)}${slips.map((s) => of(s).toFixed(0).padStart(12)).join('')}`;
  return [
    '',
    `${`${canaries} releases, interval ${intervalSeconds} s, receivers:`.padEnd(46)}${slips.map((s) => s.receivers.padStart(12)).join('')}`,
    row('intervals seen', (s) => s.intervals),
    row('slip of an interval, median, ms', (s) => s.medianMs),
    row('  99th percentile, ms', (s) => s.p99Ms),
    row('  most, ms', (s) => s.maxMs),
    row(`slip of a whole analysis (${ITERATIONS}), most, ms`, (s) => s.worstReleaseMs),
    row('calls to the receivers', (s) => s.calls),
    row('  most at once', (s) => s.mostOpen),
    row('messages that still wait at the end', (s) => s.waiting),
    row('CPU of the releases, s', (s) => s.cpuSeconds),
  ];
}

async function measureSlips(receivers: Slips['receivers'], canaries: number, intervalSeconds: number): Promise<Slips> {
  const receiver = await startReceiver(receivers === 'answering');
  const bare = await startBareCluster();
  const watch = watchCanaries(bare.cluster);
  const seenAt = new Map<string, number[]>();
  const waiting = new Map<string, number>();
  watch.onEach(({ metadata, status }: Raw) => {
    waiting.set(metadata.name, (status?.release?.deliveries ?? []).length);
    const moments = seenAt.get(metadata.name) ?? [];
    seenAt.set(metadata.name, moments);
    if (status?.phase === 'Progressing' && status.iterations === moments.length + 1) moments.push(performance.now());
  });
  const flags = [`--event-webhook=${receiver.origin}/events`, '--kubeconfig-qps=5000', '--kubeconfig-burst=5000'];
  const controller = startMeasuredController(bare.kubeconfigFile, flags);
  try {
    await createApplications(bare.cluster, canaries, 'kubernetes', {
      analysis: {
        interval: `${intervalSeconds}s`,
        iterations: ITERATIONS,
        alerts: ['webhook', 'slack'].map((type) => ({ name: type, providerRef: { name: type } })),
        webhooks: [{ name: 'after', type: 'post-rollout', url: `${receiver.origin}/after` }],
      },
    });
    for (const type of ['webhook', 'slack']) {
      await bare.cluster.create({
        apiVersion: 'flagger.app/v1beta1',
        kind: 'AlertProvider',
        metadata: { name: type, namespace: NAMESPACE },
        spec: { type, address: `${receiver.origin}/${type}` },
      });
    }
    await watch.until(canaries, 'are initialized', ({ status }: Raw) => status?.phase === 'Initialized', START_BOUND_MS);
    const before = controller.figures().cpuSeconds;
    await forEachIndex(canaries, (index) => changeImage(bare.cluster, index, '2'));
    await watch.until(canaries, 'succeeded', ({ status }: Raw) => status?.phase === 'Succeeded', START_BOUND_MS);
    const cpuSeconds = controller.figures().cpuSeconds - before;
    const intervalMs = intervalSeconds * 1000;
    const gaps = [...seenAt.values()].flatMap((moments) => moments.slice(1).map((at, index) => at - (moments[index] ?? at) - intervalMs));
    const whole = [...seenAt.values()].map((moments) => (moments.at(-1) ?? 0) - (moments[0] ?? 0) - (moments.length - 1) * intervalMs);
    const sorted = gaps.toSorted((a, b) => a - b);
    return {
      receivers,
      intervals: gaps.length,
      medianMs: median(gaps),
      p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
      maxMs: sorted.at(-1) ?? Number.NaN,
      worstReleaseMs: Math.max(...whole),
      ...receiver.seen(),
      waiting: [...waiting.values()].reduce((sum, count) => sum + count, 0),
      cpuSeconds,
    };
  } finally {
    await controller.stop();
    watch.stop();
    await bare.stop();
    await receiver.stop();
  }
}
