import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualWorld } from '../../../src/embedded/virtual/virtual-world.ts';
import { changeImage, createApplications } from '../../bench/applications.ts';
import { startBareCluster } from '../../bench/bare-cluster.ts';
import { type CanaryWatch, watchCanaries } from '../../bench/canary-watch.ts';
import type { Raw } from '../../fakes/raw.ts';
import { startController } from '../controller.ts';
import { enter, sleep } from '../world.ts';
import { type SlowApi, startSlowApi } from './slow-api.ts';

const BOUND_MS = 3_600_000;

/** Many Canaries under one controller, behind an API server that is slow, busy or gone; in virtual time. */
export interface Crowd {
  readonly api: SlowApi;
  /** Creates so many applications and their Canaries at once. */
  apply(count: number): Promise<void>;
  /** A new version of each. */
  push(version: string): Promise<void>;
  /** Resolves when all have this phase; the result: after how long, in virtual milliseconds. */
  all(phase: string): Promise<number>;
  /** Canaries whose new version receives traffic, or has been promoted. */
  advanced(): Promise<number>;
  log(): string;
}

export async function playCrowd<T>(seed: number, play: (crowd: Crowd) => Promise<T>): Promise<T> {
  const world = virtualWorld(seed);
  enter(world);
  return world.clock.play(async () => {
    const bare = await startBareCluster({ world });
    const api = await startSlowApi(readFileSync(bare.kubeconfigFile, 'utf8'));
    const folder = mkdtempSync(join(tmpdir(), 'serin-crowd-'));
    const kubeconfigFile = join(folder, 'kubeconfig');
    writeFileSync(kubeconfigFile, api.kubeconfig);
    const controller = startController({ kubeconfigFile, prometheusUrl: 'http://127.0.0.1:9' });
    let watch: CanaryWatch | undefined;
    let size = 0;
    const log = () => readFileSync(controller.logFile, 'utf8');
    try {
      while (!log().includes('reconciling Canaries')) await sleep(50);
      return await play({
        api,
        log,
        async apply(count) {
          size = count;
          await createApplications(bare.cluster, count, 'istio', { analysis: { interval: '10s', stepWeight: 25, metrics: [] } });
          watch = watchCanaries(bare.cluster, world.clock);
        },
        async push(version) {
          await Promise.all(Array.from({ length: size }, (_, index) => changeImage(bare.cluster, index, version)));
        },
        async all(phase) {
          const fromMs = world.clock.monotonicMs();
          await watch?.until(size, `are ${phase}`, ({ status }: Raw) => status?.phase === phase, BOUND_MS);
          return world.clock.monotonicMs() - fromMs;
        },
        async advanced() {
          const { items } = await bare.cluster.list({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary' });
          return items.filter(({ status }: Raw) => status?.phase !== 'Progressing' || status?.canaryWeight > 0).length;
        },
      });
    } finally {
      await controller.stop();
      watch?.stop();
      await api.stop();
      await bare.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}
