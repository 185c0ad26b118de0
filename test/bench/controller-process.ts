import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const BUNDLE = join(root, 'dist', 'serin.js');
/** Linux counts process times in units of 1/100 s, whatever the kernel's own timer. Source: proc(5), USER_HZ. */
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

/** The controller as it is shipped, in a process of its own, so that its figures are its own. `heapMB`: at the most, in MiB, as V8 counts. */
export function startMeasuredController(kubeconfigFile: string, flags: readonly string[] = [], heapMB?: number): MeasuredController {
  if (!existsSync(BUNDLE)) throw new Error('the bundle to measure is missing: npm run build');
  const logFile = join(dirname(kubeconfigFile), 'controller.log');
  const log = openSync(logFile, 'a');
  const fixed = [`--kubeconfig=${kubeconfigFile}`, '--port=0', '--log-level=warn', '--min-analysis-interval=1s', '--scale-down-delay=0s'];
  const heap = heapMB === undefined ? [] : [`--max-old-space-size=${heapMB}`];
  const child: ChildProcess = spawn(process.execPath, [...imageFlags(), ...heap, BUNDLE, 'controller', ...fixed, ...flags], {
    stdio: ['ignore', log, log],
  });
  const killed = () => child.kill('SIGKILL');
  process.once('exit', killed);
  return {
    logFile,
    figures: () => figuresOf(child),
    async stop() {
      process.off('exit', killed);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const late = setTimeout(killed, 10_000);
      await gone;
      clearTimeout(late);
    },
  };
}

/** From /proc, where there is one; NaN elsewhere, so that the counts are still printed. */
function figuresOf({ pid, exitCode }: ChildProcess): ProcessFigures {
  if (exitCode !== null) throw new Error(`the controller ended with exit code ${exitCode}`);
  try {
    // The name in parentheses may hold spaces: fields are counted from its end.
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
