import { appendFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startVirtualController } from '../../src/cli/controller/virtual-controller.ts';
import { program } from '../fakes/program.ts';
import type { Environment } from './environment.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import { afterAll, beforeAll, virtualOne } from './world.ts';

export interface ControllerProcess {
  /** Stays when the tests are over: messages of failed assertions name it. */
  readonly logFile: string;
  /** Last log lines about one Canary. */
  logOf(canary: string): string;
  readonly exited: Promise<number>;
  hasExited(): boolean;
  /** Halts it where it is, or lets it go on. */
  send(signal: 'STOP' | 'CONT'): void;
  stop(signal?: 'TERM' | 'KILL'): Promise<void>;
}

const BROKEN = join(import.meta.dirname, '..', 'application', 'arrival', 'routes', 'broken-program.ts');

/** `BREAKAGE='a dropped rule'` breaks Serin on purpose: one of the breakages there. */
export const programOrBroken = (): string => (process.env.BREAKAGE ? BROKEN : program());

/** A place for the log of controllers, which stays. */
export function newLogFile(): string {
  return join(mkdtempSync(join(tmpdir(), 'serin-suite-')), 'controller.log');
}

/**
 * The shipped controller, in a process of its own, or in virtual time in a simulated process. The times of a release are scaled down, unless `other` flags set
 * them. It appends to an existing log.
 */
export function startController(
  environment: Pick<Environment, 'kubeconfigFile' | 'prometheusUrl'>,
  other: Record<string, string> = {},
  logFile: string = newLogFile(),
  main: string = program(),
): ControllerProcess {
  const flags = {
    kubeconfig: environment.kubeconfigFile,
    'metrics-server': environment.prometheusUrl,
    'min-analysis-interval': '500ms',
    // Longer than the news of a weight takes to the last proxy, also where a busy machine keeps it waiting.
    'scale-down-delay': '2s',
    port: '0',
    'log-level': 'debug',
    'mesh-provider': 'istio',
    // MetricTemplates and webhooks of tests are on loopback.
    'allowed-addresses': '127.0.0.0/8,::1',
    ...other,
  };
  const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
  const child = startProgram(args, logFile, main);
  return {
    logFile,
    logOf: (canary) =>
      readFileSync(logFile, 'utf8')
        .split('\n')
        .filter((line) => line.includes(`"${canary}"`))
        .slice(-12)
        .join('\n'),
    exited: child.exited,
    hasExited: () => child.hasExited(),
    send: (signal) => child.send(signal),
    stop: (signal = 'TERM') => child.stop(signal),
  };
}

export type ControllerRun = Omit<GuardedProcess, 'name' | 'logTail'>;

/** `serin controller` with these flags, in the world of the scenarios. */
export function startProgram(args: readonly string[], logFile: string, main: string = program()): ControllerRun {
  const world = virtualOne();
  if (world) return { logFile, ...startVirtualController(world, args, (text) => appendFileSync(logFile, text)) };
  return startGuarded('controller', [process.execPath, main, 'controller', ...args], logFile);
}

/** One controller for all tests of a block: started before the first, stopped after the last. */
export function aController(environmentOf: () => Environment, main?: string): () => ControllerProcess {
  let controller: ControllerProcess | undefined;
  beforeAll(() => {
    controller = startController(environmentOf(), {}, undefined, main);
  });
  afterAll(async () => {
    await controller?.stop();
    // All objects of these scenarios can exist on a real server.
    const lines = controller === undefined ? [] : readFileSync(controller.logFile, 'utf8').split('\n');
    expect(lines.filter((line) => line.includes('an object cannot be read'))).toEqual([]);
  });
  return () => {
    if (controller === undefined) throw new Error('the controller is there when a test runs, not before');
    return controller;
  };
}
