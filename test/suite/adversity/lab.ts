import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crds } from '../../../src/api/crds.ts';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../../../src/embedded/cluster.ts';
import { startPrometheus } from '../../../src/embedded/prometheus/index.ts';
import { routingCrds } from '../../../src/embedded/routing-crds.ts';
import { type GuardedProcess, startGuarded } from '../guarded-process.ts';
import { until } from '../until.ts';

export const NAMESPACE = 'lab';
const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'cli', 'main.ts');
const BOUND_MS = 120_000;

export interface LabOptions {
  /** Bounds of the lag of each change at each proxy, in milliseconds. */
  lagMs: readonly [number, number];
  /** Of every lag and of every choice of a proxy. */
  seed: number;
  /** Part of the 30 s of grace through which a terminating pod serves on. */
  graceScale: number;
  scaleDownDelay: string;
  interval: string;
}

/** A cluster with its faults set by hand, and the shipped controller as a child that can be killed. */
export class Lab {
  readonly embedded: EmbeddedCluster;
  readonly folder: string;
  readonly logFile: string;
  readonly #options: LabOptions;
  readonly #prometheus: { url: string; stop(): Promise<void> };
  #controller: GuardedProcess | undefined;
  #starts = 0;

  private constructor(options: LabOptions, embedded: EmbeddedCluster, prometheus: { url: string; stop(): Promise<void> }) {
    this.#options = options;
    this.embedded = embedded;
    this.#prometheus = prometheus;
    this.folder = mkdtempSync(join(tmpdir(), 'serin-lab-'));
    this.logFile = join(this.folder, 'controller.log');
    writeFileSync(join(this.folder, 'kubeconfig'), embedded.kubeconfig);
  }

  static async open(options: LabOptions): Promise<Lab> {
    const { lagMs, seed, graceScale } = options;
    const embedded = await startEmbeddedCluster({ mesh: { proxies: 3, lagMs, seed }, nodes: { graceScale } });
    const prometheus = await startPrometheus({ targets: [embedded.mesh.metricsUrl], scrapeIntervalMs: 250 });
    const lab = new Lab(options, embedded, prometheus);
    for (const crd of [...crds(), ...routingCrds()]) await embedded.cluster.create(crd);
    await embedded.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    return lab;
  }

  get cluster() {
    return this.embedded.cluster;
  }

  startController(): void {
    const flags = {
      kubeconfig: join(this.folder, 'kubeconfig'),
      'metrics-server': this.#prometheus.url,
      'min-analysis-interval': this.#options.interval,
      'scale-down-delay': this.#options.scaleDownDelay,
      port: '0',
    };
    const words = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
    this.#starts += 1;
    this.#controller = startGuarded('controller', [process.execPath, MAIN, 'controller', ...words], this.logFile);
  }

  /** Resolves when the controller that was started last has seen the cluster. */
  async controllerIsUp(): Promise<void> {
    const deadlineMs = performance.now() + BOUND_MS;
    while (readFileSync(this.logFile, 'utf8').split('looking after Canaries').length <= this.#starts) {
      if (performance.now() > deadlineMs) throw new Error(`the controller does not come up:\n${this.log()}`);
      await sleep(50);
    }
  }

  /** Resolves when the controller has sent nothing but watches for this long; false when that does not come within the bound. */
  async isQuietFor(quietMs: number, boundMs = 30_000): Promise<boolean> {
    const deadlineMs = performance.now() + boundMs;
    let last = this.requests();
    let sinceMs = performance.now();
    while (performance.now() - sinceMs < quietMs) {
      if (performance.now() > deadlineMs) return false;
      await sleep(100);
      if (Object.keys(this.requestsSince(last)).length === 0) continue;
      last = this.requests();
      sinceMs = performance.now();
    }
    return true;
  }

  /** `KILL` is `kill -9`. */
  async stopController(signal: 'TERM' | 'KILL'): Promise<void> {
    await this.#controller?.stop(signal);
    this.#controller = undefined;
  }

  log(): string {
    return readFileSync(this.logFile, 'utf8').split('\n').slice(-25).join('\n');
  }

  /** Requests of the controller since the given count, without watches. */
  requestsSince(before: Record<string, number>): Record<string, number> {
    const now = this.requests();
    return Object.fromEntries(
      Object.entries(now)
        .map(([what, count]) => [what, count - (before[what] ?? 0)] as const)
        .filter(([what, count]) => count > 0 && !what.startsWith('watch ')),
    );
  }

  requests(): Record<string, number> {
    return this.embedded.requestCounts('serin-controller');
  }

  until(ref: ObjectRef, what: string, isSo: (now: KubeObject | undefined) => boolean | undefined, boundMs = BOUND_MS) {
    return until(this.cluster, ref, what, isSo, { boundMs, hint: () => `${this.log()}\n` });
  }

  async close(): Promise<void> {
    await this.stopController('KILL');
    await this.#prometheus.stop();
    await this.embedded.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
