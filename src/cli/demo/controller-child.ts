import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ownProgram } from '../own-program.ts';
import { type DemoCluster, INTERVAL, SCALE_DOWN_DELAY } from './demo-cluster.ts';

/** The real controller in a process of its own, so that killing it is killing it. */
export class ControllerChild {
  readonly logFile: string;
  readonly #demo: DemoCluster;
  #child: ChildProcess | undefined;

  constructor(demo: DemoCluster) {
    this.#demo = demo;
    this.logFile = join(demo.folder, 'controller.log');
  }

  start(): void {
    const log = openSync(this.logFile, 'a');
    const flags = [
      `--kubeconfig=${this.#demo.kubeconfigFile}`,
      `--metrics-server=${this.#demo.prometheusUrl}`,
      `--min-analysis-interval=${INTERVAL}`,
      `--scale-down-delay=${SCALE_DOWN_DELAY}`,
      '--port=0',
      // Its standard input ends with us, however we end: a demo that is killed hard leaves nothing running.
      '--end-with-stdin',
    ];
    const [program, ...before] = ownProgram();
    this.#child = spawn(program, [...before, 'controller', ...flags], { stdio: ['pipe', log, log] });
    closeSync(log);
    // A child that is gone breaks the pipe; `endedBy` reports its end.
    this.#child.stdin?.on('error', () => undefined);
  }

  /** The signal or exit code that ended it; undefined while it runs or before it starts. */
  endedBy(): string | undefined {
    const { exitCode, signalCode } = this.#child ?? {};
    return signalCode ?? (typeof exitCode === 'number' ? `exit code ${exitCode}` : undefined);
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || this.endedBy() !== undefined) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }
}
