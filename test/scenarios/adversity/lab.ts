import { readFileSync } from 'node:fs';
import type { KubeObject, ObjectRef } from '../../../src/api/kube-object.ts';
import { type ControllerProcess, newLogFile, startController } from '../controller.ts';
import type { Environment, EnvironmentOptions } from '../environment.ts';
import { settled } from '../settled.ts';
import { until } from '../until.ts';
import { monotonicMs, sleep } from '../world.ts';

const BOUND_MS = 240_000;

/** For environments of labs: routes that are late, but sooner than the 500 ms for which pods outlive their traffic there. */
export const ADVERSE = { lagMs: [20, 200], seed: 5 } as const satisfies EnvironmentOptions;

/** Time for every proxy of an adverse environment to see a change, also on a busy machine: no request must be lost before that. */
export const PROXIES_KNOW = '2s';

export interface LabOptions {
  /** Created for this lab, and the only namespace of its controller: several labs can share an environment. */
  namespace: string;
  scaleDownDelay: string;
  interval: string;
  /** More flags of its controller. */
  flags?: Readonly<Record<string, string>>;
}

/** One namespace of an environment, and the shipped controller as a child that can be killed. */
export class Lab {
  readonly environment: Environment;
  readonly logFile = newLogFile();
  readonly #options: LabOptions;
  #controller: ControllerProcess | undefined;
  #starts = 0;

  private constructor(environment: Environment, options: LabOptions) {
    this.environment = environment;
    this.#options = options;
  }

  static async open(environment: Environment, options: LabOptions): Promise<Lab> {
    await environment.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: options.namespace } });
    return new Lab(environment, options);
  }

  get namespace(): string {
    return this.#options.namespace;
  }

  get cluster() {
    return this.environment.cluster;
  }

  /** `main`: another version's program than the one under test. */
  startController(main?: string): void {
    this.#starts += 1;
    const { namespace, interval, scaleDownDelay, flags: more } = this.#options;
    const flags = { namespace, 'min-analysis-interval': interval, 'scale-down-delay': scaleDownDelay, ...more };
    this.#controller = startController(this.environment, flags, this.logFile, main);
  }

  /** Resolves when the controller that was started last has seen the cluster. */
  async controllerIsUp(): Promise<void> {
    const deadlineMs = monotonicMs() + BOUND_MS;
    while (readFileSync(this.logFile, 'utf8').split('reconciling Canaries').length <= this.#starts) {
      if (monotonicMs() > deadlineMs) throw new Error(`the controller does not come up:\n${this.log()}`);
      await sleep(50);
    }
  }

  /** Resolves when the controller has sent nothing but watches and its lease for this long. */
  async settled(settledMs: number): Promise<void> {
    const others = () => Object.fromEntries(Object.entries(this.requests()).filter(([what]) => !/^watch | leases$/.test(what)));
    await settled(others, settledMs, BOUND_MS);
  }

  /** `KILL` is `kill -9`. */
  async stopController(signal: 'TERM' | 'KILL'): Promise<void> {
    await this.#controller?.stop(signal);
    this.#controller = undefined;
  }

  /** `killed`: another process is started after this time; `halted`: the process goes on after it. */
  async harm(how: 'killed' | 'halted' | 'none', downMs: number): Promise<void> {
    if (how === 'none') return;
    if (how === 'killed') await this.stopController('KILL');
    else this.#controller?.send('STOP');
    await sleep(downMs);
    if (how === 'killed') this.startController();
    else this.#controller?.send('CONT');
  }

  log(): string {
    return `${this.logFile}\n${readFileSync(this.logFile, 'utf8').split('\n').slice(-25).join('\n')}`;
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

  /** Requests of every controller on the environment: a test that counts has the environment for itself. */
  requests(): Record<string, number> {
    return this.environment.requestCounts();
  }

  until(ref: ObjectRef, what: string, isSo: (now: KubeObject | undefined) => boolean | undefined, boundMs = BOUND_MS) {
    return until(this.cluster, ref, what, isSo, { boundMs, hint: () => `${this.log()}\n` });
  }

  /** Leaves the application: its objects serve on without a controller. */
  async close(): Promise<void> {
    await this.stopController('KILL');
  }
}
