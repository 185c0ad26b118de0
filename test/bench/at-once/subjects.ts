import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureArgoCrds, ensureArgoRollouts } from '../../../scripts/e2e-argo-rollouts.ts';
import { ensureFlagger } from '../../../scripts/e2e-flagger.ts';
import { freePort } from '../../e2e/free-port.ts';
import { type MeasuredProcess, type ProcessFigures, serinProgram, startMeasured } from '../controller-process.ts';
import { type Applications, canaries } from './at-once-applications.ts';
import type { ControlPlane, User } from './control-plane.ts';
import { rollouts } from './rollouts.ts';

/** A controller to measure. */
export interface Subject {
  readonly name: User;
  readonly namespace: string;
  /** Path on its port that answers 200 when it is ready. */
  readonly readyPath: string;
  /** The applications that it releases. */
  readonly applications: Applications;
  /** Files of the resource definitions that only it has. */
  readonly crds: readonly string[];
  command(flags: SubjectFlags): readonly string[];
}

interface SubjectFlags {
  kubeconfig: string;
  prometheusUrl: string;
  port: number;
}

const LOOK_EVERY_MS = 20;
const SAMPLE_EVERY_MS = 1_000;
const START_AGAIN_AFTER_MS = 1_000;

/** Default flags but for addresses: each watches its own namespace and renews its own lease. */
function flagsFor(namespace: string, { kubeconfig, prometheusUrl, port }: SubjectFlags): Record<string, string> {
  return {
    kubeconfig,
    namespace,
    'metrics-server': prometheusUrl,
    port: String(port),
    'leader-election-namespace': namespace,
  };
}

const written = (dashes: string, flags: Record<string, string>): string[] =>
  Object.entries(flags).map(([flag, value]) => `${dashes}${flag}=${value}`);

/** `bundle`: default `dist/serin.js`. */
export const serinSubject = (bundle?: string): Subject => ({
  name: 'serin',
  namespace: 'bench-serin',
  readyPath: '/readyz',
  applications: canaries,
  crds: [],
  command: (flags) => [...serinProgram([], bundle), ...written('--', flagsFor('bench-serin', flags)), '--enable-leader-election'],
});

export const serin = serinSubject();

export async function flaggerSubject(say: (line: string) => void): Promise<Subject> {
  const program = await ensureFlagger(say);
  return {
    name: 'flagger',
    namespace: 'bench-flagger',
    readyPath: '/healthz',
    applications: canaries,
    crds: [],
    command: (flags) => [program, ...written('-', flagsFor('bench-flagger', flags)), '-enable-leader-election=true', '-log-level=info'],
  };
}

/** Default flags, of which leader election is one: its Lease is in the namespace that its environment names. */
export async function argoSubject(say: (line: string) => void): Promise<Subject> {
  const program = await ensureArgoRollouts(say);
  const namespace = 'bench-argo';
  return {
    name: 'argo',
    namespace,
    readyPath: '/healthz',
    applications: rollouts,
    crds: await ensureArgoCrds(),
    command: ({ kubeconfig, port }) => [
      '/usr/bin/env',
      `POD_NAMESPACE=${namespace}`,
      program,
      ...written('--', { kubeconfig, namespace, healthzPort: String(port), metricsPort: '0' }),
      '--namespaced',
    ],
  };
}

/** `undefined` of the embedded control plane, which knows only one user. */
export const tokenOf = (plane: ControlPlane, user: User): string | undefined =>
  /^\s*token: (\S+)$/m.exec(readFileSync(plane.kubeconfigFileOf(user), 'utf8'))?.[1];

export interface Place {
  plane: ControlPlane;
  prometheusUrl: string;
  /** URL of the API server, or of a proxy before it. */
  apiUrl: string;
}

/** A controller's process, which is started again when it ends by itself, as Kubernetes does. */
export class RunningSubject {
  readonly #subject: Subject;
  readonly #command: readonly string[];
  readonly #readyUrl: string;
  readonly #metricsUrl: string;
  readonly #logFile: string;
  readonly #sampling: NodeJS.Timeout;
  readonly startedMs = Date.now();
  #process: MeasuredProcess;
  #last: ProcessFigures = { cpuSeconds: 0, rssMB: 0, peakRssMB: 0 };
  #cpuOfEnded = 0;
  #isStopped = false;
  /** Times that it has ended by itself. */
  ends = 0;

  private constructor(subject: Subject, place: Place, port: number) {
    const { plane, prometheusUrl, apiUrl } = place;
    const kubeconfig = join(plane.folder, `${subject.name}-${port}.kubeconfig`);
    const text = readFileSync(plane.kubeconfigFileOf(subject.name), 'utf8');
    writeFileSync(kubeconfig, text.replaceAll(plane.apiUrl, apiUrl), { mode: 0o600 });
    this.#subject = subject;
    this.#command = subject.command({ kubeconfig, prometheusUrl, port });
    this.#readyUrl = `http://127.0.0.1:${port}${subject.readyPath}`;
    this.#metricsUrl = `http://127.0.0.1:${port}/metrics`;
    this.#logFile = join(plane.folder, `${subject.name}.log`);
    this.#process = this.#start();
    this.#sampling = setInterval(() => this.#sample(), SAMPLE_EVERY_MS);
  }

  static async start(subject: Subject, place: Place): Promise<RunningSubject> {
    return new RunningSubject(subject, place, await freePort());
  }

  /** Milliseconds from its start until it says that it is ready; undefined after the bound. */
  async ready(boundMs: number): Promise<number | undefined> {
    while (Date.now() - this.startedMs < boundMs) {
      const isReady = await fetch(this.#readyUrl).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return Date.now() - this.startedMs;
      await sleep(LOOK_EVERY_MS);
    }
    return undefined;
  }

  figures(): ProcessFigures {
    this.#sample();
    return { ...this.#last, cpuSeconds: this.#cpuOfEnded + this.#last.cpuSeconds };
  }

  /** Text of its metrics; undefined where it does not answer. */
  metrics(): Promise<string | undefined> {
    return fetch(this.#metricsUrl).then(
      (answer) => (answer.ok ? answer.text() : undefined),
      () => undefined,
    );
  }

  forgetPeak(): void {
    this.#process.forgetPeak();
  }

  logTail(): string {
    return readFileSync(this.#logFile, 'utf8').split('\n').slice(-5).join('\n');
  }

  async stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#sampling);
    await this.#process.stop(signal);
  }

  #start(): MeasuredProcess {
    const started = startMeasured(this.#subject.name, this.#command, this.#logFile);
    void started.exited.then(async () => {
      if (this.#isStopped) return;
      this.ends += 1;
      this.#cpuOfEnded += this.#last.cpuSeconds;
      this.#last = { ...this.#last, cpuSeconds: 0 };
      await sleep(START_AGAIN_AFTER_MS);
      if (!this.#isStopped) this.#process = this.#start();
    });
    return started;
  }

  #sample(): void {
    if (this.#process.hasExited()) return;
    try {
      this.#last = this.#process.figures();
    } catch {
      // The process has just ended: the last figures remain.
    }
  }
}
