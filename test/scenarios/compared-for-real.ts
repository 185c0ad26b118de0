import { expect } from 'vitest';
import type { Release } from '../../src/api/canary-status.ts';
import type { KubeCluster } from '../../src/kube/kube-cluster.ts';
import { type RealPrometheus, startRealPrometheus } from '../e2e/real-prometheus.ts';
import { raw } from '../fakes/raw.ts';
import { type ControllerProcess, newLogFile, startController } from './controller.ts';
import type { RealEnvironment } from './environment.ts';
import { eventually } from './eventually.ts';
import { APP, Scenario } from './scenario.ts';
import { type Sent, type Sidecars, startSidecars } from './sidecars.ts';
import { sleep } from './world.ts';

/** Share of requests that fail: of the version that serves and of a good one, and of a bad one. Two pods of each side allow for pods that differ by chance. */
export const GOOD = { ERROR_RATE: '0.02' };
export const BAD = { ERROR_RATE: '0.4' };
export const GATE = { mode: 'gate', warmUp: '0s' };
/** No metric has a limit: only the comparison decides. */
export const ANALYSIS = { stepWeight: 50, maxWeight: 50, threshold: 100, comparison: GATE };
const SCRAPE_EVERY_MS = 1_000;
/** A bad version is found by then, at the little traffic that a busy machine has. */
export const FOUND_WITHIN_MS = 600_000;

type Seen = NonNullable<Release['comparison']>;
/** Counts of a release, and requests that were sent since it began. */
interface Moment {
  counted: { windows: number; canary: Sent; primary: Sent };
  problem: string | undefined;
  /** The release was rolled back. */
  isOver: boolean;
}

/** The controller of now, and the log that all of them write. */
interface Running {
  controller?: ControllerProcess;
  readonly logFile: string;
}

/** One application on the real control plane, with a Prometheus, sidecars and a controller of its own. */
export class ComparedForReal {
  readonly environment: RealEnvironment;
  readonly namespace: string;
  readonly prometheus: RealPrometheus;
  readonly sidecars: Sidecars;
  readonly scenario: Scenario;
  /** Moments at which more was counted than was sent: must stay empty. */
  readonly #excess: string[] = [];
  readonly #running: Running;
  #before: Record<'canary' | 'primary', Sent> | undefined;
  #isOver = false;
  #watching: Promise<void> = Promise.resolve();

  private constructor(
    parts: Pick<ComparedForReal, 'environment' | 'namespace' | 'prometheus' | 'sidecars' | 'scenario'>,
    running: Running,
  ) {
    this.#running = running;
    this.environment = parts.environment;
    this.namespace = parts.namespace;
    this.prometheus = parts.prometheus;
    this.sidecars = parts.sidecars;
    this.scenario = parts.scenario;
  }

  static async begin(environment: RealEnvironment, namespace: string): Promise<ComparedForReal> {
    const running: Running = { logFile: newLogFile() };
    const logs = { logFile: running.logFile, logOf: (canary: string) => running.controller?.logOf(canary) ?? '' };
    const scenario = await Scenario.begin(environment, logs, namespace);
    const sidecars = await startSidecars(environment, namespace);
    const prometheus = await startRealPrometheus({ targets: [], discovery: [sidecars.discoveryUrl], scrapeIntervalMs: SCRAPE_EVERY_MS });
    const all = new ComparedForReal({ environment, namespace, prometheus, sidecars, scenario }, running);
    all.#watching = all.#watch();
    return all;
  }

  get cluster(): KubeCluster {
    return this.environment.cluster;
  }

  async startController(): Promise<void> {
    const own = { kubeconfigFile: this.environment.kubeconfigFile, prometheusUrl: this.prometheus.url };
    this.#running.controller = startController(own, { namespaces: this.namespace }, this.#running.logFile);
  }

  async stopController(signal: 'TERM' | 'KILL' = 'TERM'): Promise<void> {
    await this.#running.controller?.stop(signal);
  }

  /** Another version; from now on what is counted must have been sent since. */
  async release(version: string, env: Record<string, string>): Promise<void> {
    // The counts of the previous release are in the status until this one begins.
    const { run = 0 } = (await this.#release()) ?? {};
    this.#before = undefined;
    const before = this.#sent();
    await this.scenario.when.imageChanges(version, env);
    await eventually(
      'the release begins',
      async () => (await this.#release())?.run ?? 0,
      (now) => now > run,
    );
    this.#before = before;
  }

  /** Another version, of which Flagger begins the release; what Serin counts of it must have been sent since. */
  async releaseByFlagger(version: string, env: Record<string, string>): Promise<void> {
    this.#before = this.#sent();
    await this.scenario.when.imageChanges(version, env);
  }

  /** Requests that were sent to a side since the release began. */
  sentTo(side: 'canary' | 'primary'): Sent {
    const now = this.#sent()[side];
    const { requests = 0, failures = 0 } = this.#before?.[side] ?? {};
    return { requests: now.requests - requests, failures: now.failures - failures };
  }

  async status(): Promise<{ phase?: string; release?: Release } | undefined> {
    const { namespace } = this;
    return raw(await this.cluster.get({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace }))?.status;
  }

  /** `spec.analysis.comparison` as the API server has it. */
  async comparison(): Promise<unknown> {
    const { namespace } = this;
    const canary = await this.cluster.get({ apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: APP, namespace });
    return raw(canary)?.spec.analysis.comparison;
  }

  async moment(): Promise<Moment | undefined> {
    const status = await this.status();
    const errors = (status?.release?.comparison as Seen | undefined)?.errors;
    const { evidence, problem } = raw(errors) ?? {};
    const { windows, canary, primary } = evidence ?? {};
    return evidence && { counted: { windows, canary, primary }, problem, isOver: status?.phase === 'Failed' };
  }

  /** Three more windows are counted, or the version is found bad before. */
  async goesOn(what: string): Promise<void> {
    const before = (await this.moment())?.counted.windows ?? 0;
    await eventually(
      `counts of ${this.namespace} go on ${what}`,
      () => this.moment(),
      (now) => now?.isOver || (now?.counted.windows ?? 0) >= before + 3,
      () => this.#running.controller?.logOf(`${this.namespace}/${APP}`) ?? '',
    );
  }

  /** No request was counted twice, at any moment. */
  nothingWasCountedTwice(): void {
    expect(this.#excess).toEqual([]);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#watching;
    await this.scenario.end();
    await this.stopController();
    await this.prometheus.stop();
    await this.sidecars.stop();
  }

  #sent(): Record<'canary' | 'primary', Sent> {
    return { canary: this.sidecars.sent(APP), primary: this.sidecars.sent(`${APP}-primary`) };
  }

  async #release(): Promise<Release | undefined> {
    return (await this.status())?.release;
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      await sleep(300);
      const since = this.#before;
      const now = await this.moment().catch(() => undefined);
      if (now === undefined || since === undefined || since !== this.#before) continue;
      for (const side of ['canary', 'primary'] as const) {
        const [counted, sent] = [now.counted[side], this.sentTo(side)];
        const isMore = counted.requests > sent.requests || counted.failures > sent.failures;
        if (isMore) this.#excess.push(`${side}: counted ${JSON.stringify(counted)}, sent ${JSON.stringify(sent)}`);
      }
    }
  }
}
