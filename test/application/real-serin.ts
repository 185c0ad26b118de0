import { readFileSync } from 'node:fs';
import { type ControllerProcess, newLogFile, startController } from '../scenarios/controller.ts';
import type { Environment } from '../scenarios/environment.ts';
import { sleep } from '../scenarios/world.ts';

const LOOK_MS = 200;
const UP = 'reconciling Canaries';

/** `serin controller` for one namespace, which is killed and started again. */
export class RealSerin {
  readonly #environment: Pick<Environment, 'kubeconfigFile' | 'prometheusUrl'>;
  readonly #namespace: string;
  readonly #main: string | undefined;
  readonly #logFile = newLogFile();
  readonly #end = new AbortController();
  #process: ControllerProcess | undefined;
  #isUp = false;

  /** `main`: another program than the one under test. */
  constructor(environment: Pick<Environment, 'kubeconfigFile' | 'prometheusUrl'>, namespace: string, main?: string) {
    this.#environment = environment;
    this.#namespace = namespace;
    this.#main = main;
  }

  /** It has seen the cluster. */
  get isUp(): boolean {
    return this.#isUp;
  }

  get hasExited(): boolean {
    return this.#process?.hasExited() ?? false;
  }

  /** Does nothing if it runs already, or if the life is over. */
  start(flags: Record<string, string> = {}): void {
    if (this.#process !== undefined || this.#end.signal.aborted) return;
    const before = this.#timesUp();
    const started = startController(this.#environment, { namespace: this.#namespace, ...flags }, this.#logFile, this.#main);
    this.#process = started;
    void this.#awaitUp(started, before).catch(() => undefined);
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    const killed = this.#process;
    this.#isUp = false;
    this.#process = undefined;
    await killed?.stop('KILL');
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.kill();
  }

  log(): string {
    return `${this.#logFile}\n${readFileSync(this.#logFile, 'utf8').split('\n').slice(-15).join('\n')}`;
  }

  async #awaitUp(started: ControllerProcess, before: number): Promise<void> {
    while (this.#process === started && !this.#isUp) {
      await sleep(LOOK_MS, this.#end.signal);
      this.#isUp = this.#process === started && this.#timesUp() > before;
    }
  }

  #timesUp(): number {
    return readFileSync(this.#logFile, { encoding: 'utf8', flag: 'a+' }).split(UP).length - 1;
  }
}
