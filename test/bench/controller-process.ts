import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const BUNDLE = join(root, 'dist', 'serin.js');
/** Linux counts process times in units of 1/100 s, with any timer of the kernel. Source: proc(5), USER_HZ. */
const TICKS_A_SECOND = 100;

/** Node's flags in our image. */
function imageFlags(): string[] {
  const [, command = '[]'] = /^ENTRYPOINT (.+)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
  return (JSON.parse(command) as string[]).filter((word) => word.startsWith('--'));
}

export interface ProcessFigures {
  cpuSeconds: number;
  /** Megabytes (10^6 bytes), now and at the most so far. */
  rssMB: number;
  peakRssMB: number;
}

export interface MeasuredController {
  readonly logFile: string;
  figures(): ProcessFigures;
  stop(): Promise<void>;
}

export interface MeasuredProcess {
  readonly name: string;
  figures(): ProcessFigures;
  /** From now on `peakRssMB` only covers the time to come, if the kernel allows it. */
  forgetPeak(): void;
  /** Resolves when it has ended by itself or by a signal. */
  readonly exited: Promise<void>;
  hasExited(): boolean;
  /** Sends the signal (default: SIGTERM), waits for the end, and kills what does not end. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** The shipped controller in its own process, so that its figures are its own. `heapMB` is the limit of the heap in MiB, as V8 counts. */
export function startMeasuredController(kubeconfigFile: string, flags: readonly string[] = [], heapMB?: number): MeasuredController {
  const logFile = join(dirname(kubeconfigFile), 'controller.log');
  const fixed = [
    ...[`--kubeconfig=${kubeconfigFile}`, '--port=0', '--log-level=warn', '--min-analysis-interval=1s', '--scale-down-delay=0s'],
    // Receivers and backends of the bench are on loopback.
    '--allowed-local-addresses=127.0.0.1',
  ];
  const heap = heapMB === undefined ? [] : [`--max-old-space-size=${heapMB}`];
  const measured = startMeasured('the controller', [...serinProgram(heap), ...fixed, ...flags], logFile);
  return { logFile, figures: () => measured.figures(), stop: () => measured.stop() };
}

/** Command and first arguments of the shipped controller. */
export function serinProgram(nodeFlags: readonly string[] = [], bundle = BUNDLE): [string, ...string[]] {
  if (!existsSync(bundle)) throw new Error('the bundle to measure is missing: npm run build');
  return [process.execPath, ...imageFlags(), ...nodeFlags, bundle, 'controller'];
}

/** Starts a program that ends with this process; its output goes to the end of `logFile`. */
export function startMeasured(name: string, [command = '', ...args]: readonly string[], logFile: string): MeasuredProcess {
  const log = openSync(logFile, 'a');
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', log, log] });
  closeSync(log);
  const killed = () => child.kill('SIGKILL');
  process.once('exit', killed);
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  }).finally(() => process.off('exit', killed));
  const hasExited = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  return {
    name,
    exited,
    hasExited,
    figures: () => figuresOf(name, child),
    forgetPeak() {
      try {
        writeFileSync(`/proc/${child.pid}/clear_refs`, '5');
      } catch {
        // Another system, or not allowed: the peak still covers the whole time.
      }
    },
    async stop(signal = 'SIGTERM') {
      if (hasExited()) return;
      child.kill(signal);
      const late = setTimeout(killed, 10_000);
      await exited;
      clearTimeout(late);
    },
  };
}

/** From /proc, where there is one; NaN elsewhere, so that the counts are still printed. */
function figuresOf(name: string, { pid, exitCode }: ChildProcess): ProcessFigures {
  if (exitCode !== null) throw new Error(`${name} ended with exit code ${exitCode}`);
  try {
    // The name in parentheses can contain spaces: fields are counted from its end.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const megabytes = (label: string) => (Number(new RegExp(`${label}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024) / 1e6;
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND,
      rssMB: megabytes('VmRSS'),
      peakRssMB: megabytes('VmHWM'),
    };
  } catch (error) {
    if (process.platform === 'linux') throw error;
    return { cpuSeconds: Number.NaN, rssMB: Number.NaN, peakRssMB: Number.NaN };
  }
}
