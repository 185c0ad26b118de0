import pino from 'pino';
import { systemClock } from '../../../src/base/clock.ts';
import { type LoadTesterOptions, startLoadTester } from '../../../src/loadtester/loadtester.ts';

export interface TestedLoadTester {
  url: string;
  port: number;
  /** Everything that was logged. */
  logs(): string;
  /** Posts JSON, or an unmodified text. */
  post(path: string, payload: unknown, headers?: Record<string, string>): Promise<{ status: number; text: string; headers: Headers }>;
  get(path: string, headers?: Record<string, string>): Promise<{ status: number; text: string; headers: Headers }>;
  stop(graceMs?: number): Promise<void>;
}

/** The load tester behind a real HTTP server on loopback, with the limits of a test. */
export async function startTested(options: Partial<LoadTesterOptions> = {}): Promise<TestedLoadTester> {
  const lines: string[] = [];
  const tester = await startLoadTester({
    version: 'test',
    port: 0,
    host: '127.0.0.1',
    log: pino({ level: 'debug', base: null }, { write: (line) => void lines.push(line) }),
    clock: systemClock,
    credentials: {},
    namespaces: [],
    commandNamespaces: [],
    stateFile: undefined,
    timeoutMs: 3_600_000,
    tasks: 20,
    tasksOfCanary: 10,
    processes: { processes: 64, memoryBytes: 512 * 1_048_576, outputBytes: 1_048_576 },
    allowLocalAddresses: true,
    env: { PATH: process.env.PATH ?? '' },
    ...options,
  });
  const url = `http://127.0.0.1:${tester.port}`;
  const ask = async (path: string, init: RequestInit) => {
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  return {
    url,
    port: tester.port,
    logs: () => lines.join(''),
    post: (path, payload, headers = {}) =>
      ask(path, { method: 'POST', headers, body: typeof payload === 'string' ? payload : JSON.stringify(payload) }),
    get: (path, headers = {}) => ask(path, { headers }),
    stop: (graceMs = 0) => tester.stop(graceMs),
  };
}

/** The payload of a webhook of the Canary `test/podinfo`. */
export const payload = (metadata?: Record<string, unknown>, over: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'podinfo',
  namespace: 'test',
  phase: 'Progressing',
  checksum: 's1:a',
  ...(metadata && { metadata }),
  ...over,
});
